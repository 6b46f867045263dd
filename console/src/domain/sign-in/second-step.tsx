import { secondStepApi, type SessionUser } from '@relay-hub/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { TextField } from './text-field.tsx';

interface Props {
  onSignedIn: (user: SessionUser) => void;
  /** Back to the password; with a message if the step has expired. */
  onBack: (why?: string) => void;
}

// Without a query's signal, so that it does not wait for a new session.
const stepQuery = {
  ...apiQuery(secondStepApi.get),
  queryFn: () => call(secondStepApi.get),
  gcTime: 0,
  meta: { quiet: true },
};
const digits = 6;

const isAtField = (error: unknown): error is ApiError => error instanceof ApiError && error.field === 'code';

/** The second sign-in step: a code from the app, or a recovery code. */
export function SecondStep({ onSignedIn, onBack }: Props) {
  const { t } = useTranslation('secondStep');
  const form = useRef<HTMLFormElement>(null);
  const [method, setMethod] = useState<'code' | 'recovery'>('code');
  const [missing, setMissing] = useState<string>();
  const { data: step } = useQuery(stepQuery);
  const field = () => form.current?.querySelector('input');
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const take = useMutation({
    mutationFn: (code: string) => call(secondStepApi.take, { body: { code } }),
    meta: { quiet: true },
    gcTime: 0,
    onSuccess: onSignedIn,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'login.step_gone') onBack(error.message);
      else field()?.select();
    },
  });
  const send = (code: string) => {
    if (!take.isPending) take.mutate(code);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const code = field()?.value.trim() ?? '';
    setMissing(code === '' ? t(`${method}Missing`) : undefined);
    if (code === '') field()?.focus();
    else send(code);
  };
  const change = () => {
    setMethod(method === 'code' ? 'recovery' : 'code');
    setMissing(undefined);
    take.reset();
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <div>
        <h2 className="text-16">{t('title')}</h2>
        <p className="mt-1 text-13 text-text2">{t(method === 'code' ? 'text' : 'recoveryText')}</p>
      </div>
      {take.isError && !isAtField(take.error) && (
        <Note tone="bad" live>
          {take.error.message || t('refused')}
        </Note>
      )}
      <TextField
        key={method}
        autoFocus={method === 'recovery'}
        name="code"
        label={t(method)}
        error={missing ?? (isAtField(take.error) ? take.error.message : undefined)}
        autoComplete={method === 'code' ? 'one-time-code' : 'off'}
        inputMode={method === 'code' ? 'numeric' : 'text'}
        spellCheck={false}
        maxLength={method === 'code' ? digits + 1 : 40}
        className="box h-10 font-mono max-sm:h-11"
        onInput={(event) => {
          setMissing(undefined);
          const typed = event.currentTarget.value.replace(/\s/g, '');
          // The last digit submits.
          if (method === 'code' && /^\d+$/.test(typed) && typed.length === digits) send(typed);
        }}
      />
      <Button type="submit" variant="primary" size="lg" busy={take.isPending} className="w-full">
        {t('submit')}
      </Button>
      {step?.passkey && <PasskeyButton onSignedIn={onSignedIn} />}
      <div className="-mx-3 -mb-2 flex flex-wrap justify-between gap-1">
        <Button variant="ghost" icon={ArrowLeft} onClick={() => onBack()}>
          {t('back')}
        </Button>
        <Button variant="ghost" onClick={change}>
          {t(method === 'code' ? 'useRecovery' : 'useCode')}
        </Button>
      </div>
    </form>
  );
}
