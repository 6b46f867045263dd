import { backupApi, LEAST_PASSPHRASE, type Backup } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Field } from '#ui/form/field.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';

/** Asks for a passphrase and downloads a backup that is encrypted with it. */
export function DownloadDialog({
  backup: { id, started_time: started },
  onClose,
}: {
  backup: Backup;
  onClose: () => void;
}) {
  const { t } = useTranslation('settingTool');
  const form = useId();
  const first = useRef<HTMLInputElement>(null);
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const [tried, setTried] = useState(false);
  const link = useMutation({
    mutationFn: () => call(backupApi.link, { params: { id }, body: { passphrase } }),
    meta: { quiet: true },
  });
  const tooShort = passphrase.length < LEAST_PASSPHRASE;
  const differs = repeated !== passphrase;
  const submit = (close: () => void) => {
    setTried(true);
    if (tooShort || differs || link.isPending) return;
    link.mutate(undefined, {
      onSuccess: ({ address }) => {
        saveFrom(address);
        toast.info(t('backup.begun'));
        close();
      },
    });
  };
  const box = (value: string, onChange: (text: string) => void) => ({
    type: 'password',
    autoComplete: 'new-password',
    className: 'box w-full',
    value,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  });
  return (
    <Dialog
      title={t('backup.downloadTitle')}
      text={t('backup.downloadText')}
      icon={Download}
      iconTone="text-text2"
      width={440}
      initialFocus={first}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('backup.cancel')}</Button>
          <Button type="submit" form={form} variant="primary" busy={link.isPending}>
            {t('backup.download')}
          </Button>
        </>
      )}
    >
      {(close) => (
        <form
          id={form}
          className="grid grid-cols-1 gap-3"
          aria-label={t('backup.downloadOf', { time: formatDateTime(started) })}
          onSubmit={(event) => {
            event.preventDefault();
            submit(close);
          }}
        >
          <Field
            label={t('backup.passphrase')}
            hint={t('backup.passphraseHint')}
            error={tried && tooShort ? t('backup.tooShort') : undefined}
          >
            {(aria) => <input {...aria} {...box(passphrase, setPassphrase)} ref={first} />}
          </Field>
          <Field label={t('backup.again')} error={tried && !tooShort && differs ? t('backup.differs') : undefined}>
            {(aria) => <input {...aria} {...box(repeated, setRepeated)} />}
          </Field>
          {link.error && (
            <Note tone="bad" live>
              {link.error.message}
            </Note>
          )}
        </form>
      )}
    </Dialog>
  );
}

/** The browser writes the reply to disk as it arrives; it may be larger than the memory. */
function saveFrom(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}
