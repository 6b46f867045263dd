import { optionApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { Note } from '#ui/feedback/note.tsx';

/** Sends a mail with the stored settings and shows the mail server's answer. */
export function MailTest({ dirty }: { dirty: boolean }) {
  const { t } = useTranslation('settingTool');
  const [to, setTo] = useState('');
  const send = useMutation({
    mutationFn: (address: string) => call(optionApi.testMail, { body: { to: address } }),
    meta: { quiet: true },
  });
  const ready = /^\S+@\S+$/.test(to.trim()) && !dirty;
  return (
    <form
      className="border-t border-line px-5 py-3 max-sm:px-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !send.isPending) send.mutate(to.trim());
      }}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="font-normal">{t('mailTest')}</h3>
          <p className="text-13/4.5 text-text2">{t(dirty ? 'mailSaveFirst' : 'mailTestText')}</p>
        </div>
        <Field label={t('mailTo')} hideLabel className="w-60 max-sm:w-full">
          {(aria) => (
            <input
              {...aria}
              type="email"
              className="box"
              placeholder="you@example.com"
              value={to}
              onChange={(event) => setTo(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" icon={Send} disabled={!ready} busy={send.isPending}>
          {t('mailTest')}
        </Button>
      </div>
      {send.isSuccess && (
        <div className="mt-2.5">
          <Note tone="ok" live>
            {t('mailSent', { to: send.variables })}
          </Note>
        </div>
      )}
      {send.error && (
        <div className="mt-2.5">
          <Note tone="bad" live>
            {send.error.message}
          </Note>
        </div>
      )}
    </form>
  );
}
