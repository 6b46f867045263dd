import { passkeyApi, type Passkey } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useId, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { makePasskey } from '#api/passkey.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Field } from '#ui/form/field.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { deviceOf } from './device-of.ts';

interface Props {
  /** The passkey to rename, or `new`. */
  passkey: Passkey | 'new';
  onClose: () => void;
}

/** Names a passkey; a new one is then created by the browser. */
export function PasskeyDialog({ passkey, onClose }: Props) {
  const { t } = useTranslation('secondFactor');
  const client = useQueryClient();
  const form = useId();
  const input = useRef<HTMLInputElement>(null);
  const done = useRef<() => void>(undefined);
  const [missing, setMissing] = useState(false);
  const isNew = passkey === 'new';
  const save = useMutation({
    mutationFn: async (name: string) => {
      if (isNew) return makePasskey(name);
      await call(passkeyApi.rename, { params: { id: passkey.id }, body: { name } });
      return { ...passkey, name };
    },
    meta: { quiet: true },
    onSuccess: (saved) => {
      // After a cancel in the browser's dialog, the name stays for another try.
      if (saved === undefined || saved === 'known') return;
      if (isNew) toast.success(t('passkeyAdded', { name: saved.name }));
      void refresh(client, passkeyApi.list);
      done.current?.();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const name = input.current?.value.trim() ?? '';
    setMissing(name === '');
    if (name === '') input.current?.focus();
    else if (!save.isPending) save.mutate(name);
  };
  return (
    <Dialog
      title={t('passkeyNameTitle')}
      text={t('passkeyNameText')}
      icon={Fingerprint}
      iconTone="text-accent"
      width={400}
      initialFocus={input}
      onClose={onClose}
      footer={(close) => {
        done.current = close;
        return (
          <>
            <Button variant="ghost" onClick={close}>
              {t('cancel')}
            </Button>
            <Button type="submit" form={form} variant="primary" busy={save.isPending}>
              {t(isNew ? 'passkeyNext' : 'passkeySave')}
            </Button>
          </>
        );
      }}
    >
      <form id={form} noValidate onSubmit={submit} className="grid grid-cols-1 gap-4">
        <Field label={t('passkeyName')} error={missing ? t('passkeyNameMissing') : undefined}>
          {(aria) => (
            <input
              {...aria}
              ref={input}
              className="box"
              maxLength={50}
              autoComplete="off"
              defaultValue={isNew ? t('passkeyDefault', { device: thisDevice() }) : passkey.name}
              onInput={() => setMissing(false)}
            />
          )}
        </Field>
        {save.data === 'known' && <Note live>{t('passkeyKnown')}</Note>}
        {save.isError && (
          <Note tone="bad" live>
            {save.error.message}
          </Note>
        )}
      </form>
    </Dialog>
  );
}

/** This device's name: its operating system. */
function thisDevice(): string {
  const { system, name } = deviceOf(navigator.userAgent);
  return system || name;
}
