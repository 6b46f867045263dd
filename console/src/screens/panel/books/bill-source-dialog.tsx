import { type BillSource, billSourceApi, type BillVendor, billVendors } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { BillChannels } from './bill-card.tsx';

const vendors = Object.keys(billVendors) as BillVendor[]; // its keys

/** An account whose bill is fetched: name, address, admin key and channels. */
export default function SourceDialog({ source, onClose }: { source: BillSource | undefined; onClose: () => void }) {
  const { t } = useTranslation(['bill', 'shared']);
  const client = useQueryClient();
  const [vendor, setVendor] = useState<BillVendor>(source?.vendor ?? 'openai');
  const [texts, setTexts] = useState({ name: source?.name ?? '', base_url: source?.base_url ?? '', key: '' });
  const [channels, setChannels] = useState<readonly number[]>(source?.channel_ids ?? []);
  const again = () => refresh(client, billSourceApi.list);
  const save = useMutation({
    mutationFn: () => {
      const body = { ...texts, channel_ids: [...channels] };
      return source
        ? call(billSourceApi.update, { params: { id: source.id }, body })
        : call(billSourceApi.create, { body: { ...body, vendor } });
    },
    onSettled: again,
    meta: { quiet: true },
  });
  const remove = useMutation({
    mutationFn: (id: number) => call(billSourceApi.remove, { params: { id } }),
    onSettled: again,
  });
  const isReady = texts.name.trim() !== '' && channels.length > 0 && (source !== undefined || texts.key.trim() !== '');
  return (
    <Dialog
      title={t(source ? 'sourceEdit' : 'sourceAdd')}
      text={t('sourceText')}
      onClose={onClose}
      footer={(close) => (
        <>
          {source && (
            <Button
              variant="ghost"
              className="mr-auto"
              busy={remove.isPending}
              onClick={() => void remove.mutateAsync(source.id).then(close, () => undefined)} // a toast says why
            >
              {t('remove')}
            </Button>
          )}
          <Button onClick={close}>{t('shared:cancel')}</Button>
          <Button
            variant="primary"
            busy={save.isPending}
            disabled={!isReady}
            onClick={() => void save.mutateAsync().then(close, () => undefined)} // the error is shown above
          >
            {t('save')}
          </Button>
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-4">
        {!source && (
          <Field label={t('vendor')}>
            {(aria) => (
              <Select
                aria={aria}
                value={vendor}
                options={vendors.map((value) => ({ value, label: t(`formats.${value}`) }))}
                onChange={setVendor}
              />
            )}
          </Field>
        )}
        {(['name', 'key', 'base_url'] as const).map((name) => (
          <Field
            key={name}
            label={t(`sourceFields.${name}`)}
            hint={name === 'key' ? t('keyHint') : undefined}
            optional={name === 'base_url'}
          >
            {(aria) => (
              <input
                {...aria}
                className="box"
                autoComplete="off"
                type={name === 'key' ? 'password' : 'text'}
                placeholder={name === 'key' ? source?.key_hint : name === 'base_url' ? billVendors[vendor] : undefined}
                value={texts[name]}
                onChange={({ target: { value } }) => setTexts((now) => ({ ...now, [name]: value }))}
              />
            )}
          </Field>
        ))}
        <BillChannels value={channels} onChange={setChannels} />
        {save.error && <Note tone="bad">{save.error.message}</Note>}
      </div>
    </Dialog>
  );
}
