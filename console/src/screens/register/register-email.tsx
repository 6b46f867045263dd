import { mailAddress, registerApi } from '@relay-hub/contract';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { call } from '#api/call.ts';
import { ApiError } from '#api/api-error.ts';
import type { Challenge } from '#shared/challenge/use-challenge.tsx';
import { useSendCode } from '#shared/challenge/use-send-code.ts';
import { FormText } from '#shared/form-text.tsx';
import { Note } from '#shared/note.tsx';
import { SendCodeButton } from '#shared/send-code-button.tsx';
import type { RegisterValues } from './register-form.tsx';

interface Props {
  form: UseFormReturn<RegisterValues>;
  challenge: Challenge;
  /** Says that the check for humans still runs. */
  wait: () => void;
  onAsk: () => void;
}

/** The address, and the code that goes there. */
export function RegisterEmail({ form, challenge, wait, onAsk }: Props) {
  const { t } = useTranslation('register');
  const { control, getValues, setError, setFocus, trigger } = form;
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
    { challenge, wait, onSent: () => setFocus('verification_code') },
  );
  const ask = async () => {
    onAsk();
    const email = getValues('email').trim();
    if (email === '') return setError('email', { message: t('emailMissing') }, { shouldFocus: true });
    if (!mailAddress.safeParse(email).success) return void (await trigger('email', { shouldFocus: true }));
    send(email);
  };
  const atField = error instanceof ApiError && error.field === 'email';
  return (
    <>
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
            words={t('sendCode')}
            waiting={t('sendAgain', { seconds: left })}
            onSend={() => void ask()}
          />
        }
      />
      {error && !atField && (
        <Note tone="bad" live>
          {error.message}
        </Note>
      )}
      <div>
        <FormText
          control={control}
          name="verification_code"
          label={t('code')}
          autoComplete="one-time-code"
          maxLength={20}
        />
        <p role="status" className="mt-1.5 text-12 text-text3 empty:hidden">
          {sentTo && t('sent', { email: sentTo })}
        </p>
      </div>
    </>
  );
}
