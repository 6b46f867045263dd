import { registerApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '#api/call.ts';
import { Button } from '#shared/button.tsx';
import { useChallenge } from '#shared/challenge/use-challenge.tsx';
import { useSendCode } from '#shared/challenge/use-send-code.ts';
import { Note } from '#shared/note.tsx';
import { SendCodeButton } from '#shared/send-code-button.tsx';
import type { FirstStep } from './first-step.ts';
import { TextField } from './text-field.tsx';
import { wantsSecondStep } from './wants-second-step.ts';

const digits = 6;

interface Problems {
  email?: string;
  code?: string;
}

/** A code that comes by mail, in the place of a password. */
export function CodeForm({ onSignedIn, onSecondStep }: FirstStep) {
  const { t } = useTranslation('login');
  const form = useRef<HTMLFormElement>(null);
  const challenge = useChallenge();
  const [problems, setProblems] = useState<Problems>({});
  const [waits, setWaits] = useState(false);
  const field = (name: string) => form.current?.querySelector<HTMLInputElement>(`[name=${name}]`);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const { left, busy, sentTo, error, send } = useSendCode(
    (email, query) => call(registerApi.sendLoginCode, { query, body: { email } }),
    { challenge, wait: () => setWaits(true), onSent: () => field('code')?.focus() },
  );
  const signIn = useMutation({
    mutationFn: (body: { email: string; code: string }) => call(registerApi.loginByCode, { body }),
    meta: { quiet: true },
    onSuccess: onSignedIn,
    onError: (failure) => (wantsSecondStep(failure) ? onSecondStep() : field('code')?.select()),
  });
  const check = (names: (keyof Problems)[]): boolean => {
    setWaits(false);
    signIn.reset();
    const found: Problems = {};
    const email = field('email');
    if (names.includes('email') && !email?.value.trim()) found.email = t('emailMissing');
    // The browser knows what an address looks like; the server has the last word.
    else if (names.includes('email') && email && !email.checkValidity()) found.email = email.validationMessage;
    if (names.includes('code') && !field('code')?.value.trim()) found.code = t('codeMissing');
    setProblems(found);
    const first = names.find((name) => found[name]);
    if (first) field(first)?.focus();
    return first === undefined;
  };
  const ask = () => check(['email']) && send(field('email')?.value.trim() ?? '');
  const enter = () => {
    if (signIn.isPending || !check(['email', 'code'])) return;
    signIn.mutate({ email: field('email')?.value.trim() ?? '', code: field('code')?.value ?? '' });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter();
  };
  const failure = error ?? (signIn.isError && !wantsSecondStep(signIn.error) ? signIn.error : null);
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      {(waits || failure) && (
        <Note tone={waits ? 'warn' : 'bad'} live>
          {waits ? t('wait') : failure?.message}
        </Note>
      )}
      <TextField
        name="email"
        type="email"
        label={t('email')}
        error={problems.email}
        autoComplete="email"
        maxLength={50}
        className="box h-10 pr-32 max-sm:h-11"
        onInput={() => setProblems({})}
      >
        <SendCodeButton
          {...{ left, busy }}
          words={t('sendCode')}
          waiting={t('sendAgain', { seconds: left })}
          onSend={ask}
        />
      </TextField>
      <div>
        <TextField
          name="code"
          label={t('code')}
          error={problems.code}
          autoComplete="one-time-code"
          inputMode="numeric"
          spellCheck={false}
          maxLength={digits + 1}
          placeholder={t('codeHint')}
          className="box h-10 font-mono max-sm:h-11"
          onInput={(event) => {
            setProblems({});
            // The last digit needs no press of a button after it.
            if (/^\d{6}$/.test(event.currentTarget.value.replace(/\s/g, ''))) enter();
          }}
        />
        <p role="status" className="mt-1.5 text-12 text-text3 empty:hidden">
          {sentTo && t('sent')}
        </p>
      </div>
      {challenge.widget}
      <Button type="submit" variant="primary" size="lg" busy={signIn.isPending} className="w-full">
        {t('submit')}
      </Button>
    </form>
  );
}
