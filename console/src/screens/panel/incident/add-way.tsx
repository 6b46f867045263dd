import { wayApi, wayFields, wayKinds, type WayConfig, type WayKind } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { refreshWays } from './incident-api.ts';

interface Values extends WayConfig {
  kind: WayKind;
  name: string;
}

const start: Values = { kind: 'webhook', name: '', address: '', target: '', token: '', secret: '' };

/** Adds a way of the site; the secret of a webhook is shown once. */
export function AddWay({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('incident');
  const { t: shared } = useTranslation('shared');
  const client = useQueryClient();
  const form = useForm<Values>({ defaultValues: start });
  const [secret, setSecret] = useState('');
  const kind = useWatch({ control: form.control, name: 'kind' });
  const add = useMutation({
    mutationFn: ({ kind: chosen, name, ...config }: Values) =>
      call(wayApi.create, { body: { site: true, kind: chosen, name, config } }),
    onSettled: () => refreshWays(client),
  });
  const save = (close: () => void) =>
    form.handleSubmit(async (values) => {
      try {
        const made = await add.mutateAsync(values);
        if (made.secret === '') close();
        else setSecret(made.secret);
      } catch {
        // The request shows its own error; the form stays open.
      }
    });
  return (
    <Dialog
      title={t('add')}
      text={secret === '' ? t('addText') : t('secretText')}
      width={440}
      onClose={onClose}
      footer={(close) =>
        secret === '' ? (
          <>
            <Button onClick={close}>{shared('cancel')}</Button>
            <Button variant="primary" busy={add.isPending} onClick={() => void save(close)()}>
              {t('add')}
            </Button>
          </>
        ) : (
          <Button variant="primary" saves={false} onClick={close}>
            {t('noted')}
          </Button>
        )
      }
    >
      {secret === '' ? (
        <div className="grid grid-cols-1 gap-4">
          <FormSelect
            control={form.control}
            name="kind"
            label={t('service')}
            options={wayKinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
          />
          <FormText control={form.control} name="name" label={t('name')} optional maxLength={60} />
          {wayFields[kind].map((spelled) => {
            const field = spelled.replace('?', '') as keyof WayConfig; // `wayFields` lists fields of the configuration
            return (
              <FormText
                key={field}
                control={form.control}
                name={field}
                label={t(`field.${field}`)}
                optional={spelled.endsWith('?')}
                mono
              />
            );
          })}
        </div>
      ) : (
        <CodeBlock code={secret} label={t('field.secret')} />
      )}
    </Dialog>
  );
}
