import { mailAddress, registerApi } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState, type SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import * as z from 'zod/mini';
import { call } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';
import { Button } from '#ui/basic/button.tsx';
import { MailCodeFields } from '#domain/challenge/mail-code-fields.tsx';
import { useChallenge } from '#domain/challenge/use-challenge.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';

const rules = z.object({ email: mailAddress, code: z.string().check(z.trim(), z.minLength(1)) });
type Values = z.input<typeof rules>;

interface Props {
  before: string;
  onClose: () => void;
}

/** Sets the account's email address, confirmed by a code sent to it. */
export function EmailDialog({ before, onClose }: Props) {
  const { t } = useTranslation('profile');
  const { t: shared } = useTranslation('shared');
  const client = useQueryClient();
  const place = useRef<HTMLFormElement>(null);
  const challenge = useChallenge();
  const [waits, setWaits] = useState(false);
  const resolver = useMemo(() => contractResolver(rules), []);
  const form = useForm<Values>({ resolver, defaultValues: { email: '', code: '' }, mode: 'onBlur' });
  const bind = useMutation({
    mutationFn: (body: Values) =>
      savedOrRefused(form, async () => {
        await call(registerApi.bindEmail, { body });
        return true;
      }),
    meta: { quiet: true },
  });
  const submit = (close: () => void) => (event: SubmitEvent) => {
    event.preventDefault();
    void form.handleSubmit(async (values) => {
      // The error is shown at its field, and the dialog stays open.
      if (bind.isPending || !(await bind.mutateAsync(values).catch(() => undefined))) return;
      toast.success(t('emailBound'));
      close();
      await client.invalidateQueries({ queryKey: selfQuery.queryKey });
    })(event);
  };
  return (
    <Dialog
      title={t(before ? 'emailChange' : 'emailBind')}
      text={before ? t('emailText', { before }) : t('emailTextNew')}
      width={400}
      initialFocus={() => place.current?.querySelector('input')}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{shared('cancel')}</Button>
          <Button variant="primary" busy={bind.isPending} onClick={() => place.current?.requestSubmit()}>
            {t('emailBind')}
          </Button>
        </>
      )}
    >
      {(close) => (
        <form ref={place} noValidate onSubmit={submit(close)} className="grid grid-cols-1 gap-4">
          {(waits || bind.error) && (
            <Note tone={waits ? 'warn' : 'bad'} live>
              {waits ? t('emailWait') : bind.error?.message}
            </Note>
          )}
          <MailCodeFields
            form={form}
            email="email"
            code="code"
            challenge={challenge}
            wait={() => setWaits(true)}
            onAsk={() => {
              setWaits(false);
              bind.reset();
            }}
          />
          {challenge.widget}
          {/* Makes Enter submit. */}
          <button type="submit" hidden />
        </form>
      )}
    </Dialog>
  );
}
