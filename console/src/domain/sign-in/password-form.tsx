import { userApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Eye, EyeOff } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import type { FirstStepProps } from './first-step-props.ts';
import { TextField, type TextFieldProps } from './text-field.tsx';
import { needsSecondStep } from './needs-second-step.ts';

interface Missing {
  username?: string;
  password?: string;
}

/** Signs in with name and password. */
export function PasswordForm({ known, over, onSignedIn, onSecondStep }: FirstStepProps) {
  const { t } = useTranslation('login');
  const form = useRef<HTMLFormElement>(null);
  const [missing, setMissing] = useState<Missing>({});
  const focus = (name: string) => form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus();
  // The only form of its page or dialog.
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input:not([hidden])')?.focus(), []);

  const login = useMutation({
    mutationFn: (body: { username: string; password: string }) => call(userApi.login, { body }),
    meta: { quiet: true },
    onSuccess: onSignedIn,
    onError: (error) => (needsSecondStep(error) ? onSecondStep() : focus('password')),
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A portal's events bubble to the forms around it in the React tree.
    event.stopPropagation();
    const values = new FormData(form.current ?? undefined);
    const username = textOf(values.get('username')).trim();
    const password = textOf(values.get('password'));
    const found = missingIn(username, password, t('usernameMissing'), t('passwordMissing'));
    setMissing(found);
    if (found.username !== undefined) return focus('username');
    if (found.password !== undefined) return focus('password');
    if (!login.isPending) login.mutate({ username, password });
  };
  const clear = (name: keyof Missing) => missing[name] !== undefined && setMissing({ ...missing, [name]: undefined });

  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      {(login.isError || over) && (
        <Note tone="bad" live>
          {(login.error ? wordsFor(login.error) : over) || t(known ? 'wrongAgain' : 'wrong')}
        </Note>
      )}
      {known ? (
        <input hidden readOnly name="username" autoComplete="username" value={known.username} />
      ) : (
        <TextField
          name="username"
          label={t('username')}
          error={missing.username}
          onInput={() => clear('username')}
          autoComplete="username"
        />
      )}
      <PasswordField
        name="password"
        label={t('password')}
        error={missing.password}
        onInput={() => clear('password')}
        aside={
          <Link
            to="/reset"
            // The page below the dialog stays open.
            {...(known && { target: '_blank' })}
            className="text-accent underline-offset-2 hover:underline"
          >
            {t('forgot')}
          </Link>
        }
      />
      <Button type="submit" variant="primary" size="lg" busy={login.isPending} className="w-full">
        {t('submit')}
      </Button>
    </form>
  );
}

const textOf = (value: FormDataEntryValue | null) => (typeof value === 'string' ? value : '');

function missingIn(username: string, password: string, noName: string, noPassword: string): Missing {
  return { ...(username === '' && { username: noName }), ...(password === '' && { password: noPassword }) };
}

const wordsFor = (error: Error): string => error.message;

function PasswordField(props: Omit<TextFieldProps, 'type' | 'children'>) {
  const { t } = useTranslation('login');
  const [shown, setShown] = useState(false);
  return (
    <TextField {...props} type={shown ? 'text' : 'password'} autoComplete="current-password">
      <IconButton
        label={t(shown ? 'hide' : 'show')}
        icon={shown ? EyeOff : Eye}
        iconSize={16}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      />
    </TextField>
  );
}
