import { mailAddress, registerApi } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState, type SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';
import { Button } from '#shared/button.tsx';
import { useChallenge } from '#shared/challenge/use-challenge.tsx';
import { useSendCode } from '#shared/challenge/use-send-code.ts';
import { Dialog } from '#shared/dialog.tsx';
import { savedOrRefused } from '#shared/form-error.ts';
import { contractResolver } from '#shared/form-resolver.ts';
import { FormText } from '#shared/form-text.tsx';
import { Note } from '#shared/note.tsx';
import { SendCodeButton } from '#shared/send-code-button.tsx';
import { toast } from '#shared/toast.ts';

const rules = z.object({ email: mailAddress, code: z.string().check(z.trim(), z.minLength(1)) });
type Values = z.input<typeof rules>;

interface Props {
  /** The address there was; empty for none. */
  before: string;
  onClose: () => void;
}

/** Makes an address the own one, with a code that is sent to it. */
export function EmailDialog({ before, onClose }: Props) {
  const { t } = useTranslation('profile');
  const { t: shared } = useTranslation('shared');
  const client = useQueryClient();
  const place = useRef<HTMLFormElement>(null);
  const challenge = useChallenge();
  const [waits, setWaits] = useState(false);
  const resolver = useMemo(() => contractResolver(rules), []);
  const form = useForm<Values>({ resolver, defaultValues: { email: '', code: '' }, mode: 'onBlur' });
  const { control, handleSubmit, getValues, setError, setFocus, trigger } = form;
  const { left, busy, sentTo, error, send } = useSendCode(
    async (email, query) => {
      try {
        await call(registerApi.sendCode, { query: { ...query, email } });
      } catch (refusal) {
        if (refusal instanceof ApiError && refusal.field === 'email')
          setError('email', { type: 'server', message: refusal.message }, { shouldFocus: true });
        throw refusal;
      }
    },
    { challenge, wait: () => setWaits(true), onSent: () => setFocus('code') },
  );
  const ask = async () => {
    setWaits(false);
    if (await trigger('email', { shouldFocus: true })) send(getValues('email').trim());
  };
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
    void handleSubmit(async (values) => {
      if (bind.isPending || !(await bind.mutateAsync(values).catch(() => undefined))) return;
      toast.success(t('emailBound'));
      close();
      await client.invalidateQueries({ queryKey: selfQuery.queryKey });
    })(event);
  };
  const failure = (error instanceof ApiError && error.field === 'email' ? null : error) ?? bind.error;
  return (
    <Dialog
      title={t(before ? 'emailChange' : 'emailBind')}
      text={before ? t('emailText', { before }) : t('emailTextNew')}
      width={400}
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
        <form ref={place} noValidate onSubmit={submit(close)} className="grid gap-4">
          {(waits || failure) && (
            <Note tone={waits ? 'warn' : 'bad'} live>
              {waits ? t('emailWait') : failure?.message}
            </Note>
          )}
          <FormText
            control={control}
            name="email"
            type="email"
            label={t('email')}
            autoComplete="email"
            maxLength={50}
            aside={
              <SendCodeButton
                className="-my-2 -mr-2 max-sm:-my-3"
                {...{ left, busy }}
                words={t('emailSend')}
                waiting={t('emailAgain', { seconds: left })}
                onSend={() => void ask()}
              />
            }
          />
          <div>
            <FormText
              control={control}
              name="code"
              label={t('emailCode')}
              autoComplete="one-time-code"
              maxLength={20}
            />
            <p role="status" className="mt-1.5 text-12 text-text3 empty:hidden">
              {sentTo && t('emailSent', { email: sentTo })}
            </p>
          </div>
          {challenge.widget}
          {/* So that Enter sends it. */}
          <button type="submit" hidden />
        </form>
      )}
    </Dialog>
  );
}
