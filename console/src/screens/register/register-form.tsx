import { mailAddress, registerApi, registration, type SiteInfo } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import * as z from 'zod/mini';
import { call } from '#api/call.ts';
import { rememberUser } from '#api/session.ts';
import { storage } from '#api/storage.ts';
import { Button } from '#ui/basic/button.tsx';
import { MailCodeFields } from '#domain/challenge/mail-code-fields.tsx';
import { type Challenge, useChallenge } from '#domain/challenge/use-challenge.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormPassword, FormText } from '#ui/form/form-text.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';

/** The contract's rules, and equality of both passwords. */
const rules = (withEmail: boolean, differs: string) =>
  z
    .object({
      username: registration.shape.username,
      password: registration.shape.password,
      again: z.string().check(z.minLength(1)),
      email: withEmail ? mailAddress : z.string(),
      verification_code: withEmail ? z.string().check(z.trim(), z.minLength(1)) : z.string(),
    })
    .check(z.refine(({ password, again }) => password === again, { error: differs, path: ['again'] }));

type RegisterValues = z.input<ReturnType<typeof rules>>;

export function RegisterForm({ site }: { site: SiteInfo }) {
  const { t } = useTranslation('register');
  const navigate = useNavigate();
  const place = useRef<HTMLFormElement>(null);
  const withEmail = site.email_verification;
  const challenge = useChallenge();
  const [notice, setNotice] = useState<string>();
  const resolver = useMemo(() => contractResolver(rules(withEmail, t('differs'))), [withEmail, t]);
  const form = useForm<RegisterValues>({
    resolver,
    defaultValues: { username: '', password: '', again: '', email: '', verification_code: '' },
    mode: 'onBlur',
  });
  const { control, handleSubmit } = form;
  const aff = storage.get('aff') ?? '';
  // The only form of the page.
  useEffect(() => place.current?.querySelector('input')?.focus(), []);
  const save = useMutation({
    mutationFn: ({ values, query }: { values: RegisterValues; query: Query }) =>
      savedOrRefused(form, async () => {
        const user = await call(registerApi.register, { query, body: { ...values, aff_code: aff } });
        return { user };
      }),
    meta: { quiet: true },
    // The request holds a password.
    gcTime: 0,
    onSuccess: (saved) => {
      if (!saved) return;
      storage.remove('aff');
      toast.success(t(saved.user ? 'done' : 'doneSignIn'));
      if (saved.user) rememberUser(saved.user);
      void navigate({ to: saved.user ? '/panel' : '/login' });
    },
    onSettled: challenge.renew,
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setNotice(undefined);
    void handleSubmit((values) => {
      if (save.isPending) return;
      if (!challenge.query) setNotice(t('wait'));
      else save.mutate({ values, query: challenge.query });
    })(event);
  };
  return (
    <form ref={place} noValidate onSubmit={submit} className="flex flex-col gap-4">
      {(notice ?? save.isError) && (
        <Note tone={notice ? 'warn' : 'bad'} live>
          {notice ?? save.error?.message}
        </Note>
      )}
      {aff !== '' && <Note>{t('invited', { code: aff })}</Note>}
      <FormText
        control={control}
        name="username"
        label={t('username')}
        hint={t('usernameHint')}
        autoComplete="username"
        maxLength={64}
      />
      {withEmail && (
        <MailCodeFields
          form={form}
          email="email"
          code="verification_code"
          challenge={challenge}
          wait={() => setNotice(t('wait'))}
          onAsk={() => setNotice(undefined)}
        />
      )}
      <FormPassword
        control={control}
        name="password"
        label={t('password')}
        hint={t('passwordHint')}
        autoComplete="new-password"
        maxLength={128}
      />
      <FormPassword control={control} name="again" label={t('repeat')} autoComplete="new-password" maxLength={128} />
      {challenge.widget}
      <Button type="submit" variant="primary" size="lg" busy={save.isPending} className="w-full">
        {t('submit')}
      </Button>
    </form>
  );
}

type Query = NonNullable<Challenge['query']>;
