import { mailAddress, registerApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import * as z from 'zod/mini';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { MailCodeFields } from '#domain/challenge/mail-code-fields.tsx';
import { useChallenge } from '#domain/challenge/use-challenge.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { Note } from '#ui/feedback/note.tsx';
import type { FirstStepProps } from './first-step-props.ts';
import { needsSecondStep } from './needs-second-step.ts';

const rules = z.object({ email: mailAddress, code: z.string().check(z.trim(), z.minLength(1)) });
type Values = z.input<typeof rules>;

const resolver = contractResolver(rules);

/** Signs in with a code sent by mail. */
export function CodeForm({ known, onSignedIn, onSecondStep }: FirstStepProps) {
  const { t } = useTranslation('login');
  const place = useRef<HTMLFormElement>(null);
  const challenge = useChallenge();
  const [notice, setNotice] = useState<string>();
  const form = useForm<Values>({ resolver, defaultValues: { email: known?.email ?? '', code: '' }, mode: 'onBlur' });
  const { handleSubmit, setFocus } = form;
  useEffect(() => place.current?.querySelector<HTMLInputElement>('input:enabled')?.focus(), []);
  const signIn = useMutation({
    mutationFn: (body: Values) => savedOrRefused(form, () => call(registerApi.loginByCode, { body })),
    meta: { quiet: true },
    onSuccess: (user) => user && onSignedIn(user),
    onError: (failure) => (needsSecondStep(failure) ? onSecondStep() : setFocus('code', { shouldSelect: true })),
  });
  const enter = () => {
    setNotice(undefined);
    void handleSubmit((values) => {
      if (!signIn.isPending) signIn.mutate(values);
    })();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    event.stopPropagation();
    enter();
  };
  const refusal = signIn.isError && !needsSecondStep(signIn.error) ? signIn.error.message : undefined;
  return (
    <form ref={place} noValidate onSubmit={submit} className="flex flex-col gap-4">
      {(notice ?? refusal) && (
        <Note tone={notice ? 'warn' : 'bad'} live>
          {notice ?? refusal}
        </Note>
      )}
      <MailCodeFields
        form={form}
        email="email"
        fixed={known !== undefined}
        code="code"
        challenge={challenge}
        wait={() => setNotice(t('wait'))}
        onAsk={() => {
          setNotice(undefined);
          signIn.reset();
        }}
        ask={(email, query) => call(registerApi.sendLoginCode, { query, body: { email } })}
        sent={t('sent')}
        onWhole={enter}
      />
      {challenge.widget}
      <Button type="submit" variant="primary" size="lg" busy={signIn.isPending} className="w-full">
        {t('submit')}
      </Button>
    </form>
  );
}
