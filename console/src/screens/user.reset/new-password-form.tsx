import { password as passwordRule, registerApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, type SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import * as z from 'zod/mini';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { forgetUser } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormPassword } from '#ui/form/form-text.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';

const rules = (differs: string) =>
  z
    .object({ password: passwordRule, again: z.string().check(z.minLength(1)) })
    .check(z.refine(({ password, again }) => password === again, { error: differs, path: ['again'] }));

type Values = z.input<ReturnType<typeof rules>>;

interface Props {
  email: string;
  token: string;
  /** Called if the link was used or expired meanwhile. */
  onRefused: () => void;
}

export function NewPasswordForm({ email, token, onRefused }: Props) {
  const { t } = useTranslation('register');
  const navigate = useNavigate();
  const place = useRef<HTMLFormElement>(null);
  const resolver = useMemo(() => contractResolver(rules(t('differs'))), [t]);
  const form = useForm<Values>({ resolver, defaultValues: { password: '', again: '' }, mode: 'onBlur' });
  const { control, handleSubmit } = form;
  useEffect(() => place.current?.querySelector<HTMLInputElement>('input:not([hidden])')?.focus(), []);
  const save = useMutation({
    mutationFn: ({ password }: Values) =>
      savedOrRefused(form, () => call(registerApi.reset, { body: { email, token, password } })),
    meta: { quiet: true },
    // The request holds a password.
    gcTime: 0,
    onSuccess: (saved) => {
      if (!saved) return;
      // The reset ended all sessions.
      forgetUser();
      // A text is a password made for an old form, which sends none.
      const count = typeof saved === 'string' ? 0 : saved.disabled_tokens;
      toast.success(count > 0 ? t('newDoneTokens', { count }) : t('newDone'));
      void navigate({ to: '/login', replace: true });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'reset.link') onRefused();
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void handleSubmit((values) => {
      if (!save.isPending) save.mutate(values);
    })(event);
  };
  return (
    <form ref={place} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p className="break-words text-text2">{t('newText', { email })}</p>
      {save.isError && (
        <Note tone="bad" live>
          {save.error.message}
        </Note>
      )}
      {/* Password managers store the user name with the password. */}
      <input hidden readOnly autoComplete="username" value={email} />
      <FormPassword
        control={control}
        name="password"
        label={t('newPassword')}
        hint={t('passwordHint')}
        autoComplete="new-password"
        maxLength={128}
      />
      <FormPassword control={control} name="again" label={t('repeat')} autoComplete="new-password" maxLength={128} />
      <Button type="submit" variant="primary" size="lg" busy={save.isPending} className="w-full">
        {t('newSubmit')}
      </Button>
    </form>
  );
}
