import { mailAddress, registerApi } from '@relay-hub/contract';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { SendCodeButton } from '#ui/form/send-code-button.tsx';
import type { Challenge } from './use-challenge.tsx';
import { useSendCode } from './use-send-code.ts';

interface Props<T extends FieldValues, Out> {
  form: UseFormReturn<T, unknown, Out>;
  /** Names of the two fields in the form. */
  email: FieldPath<T>;
  code: FieldPath<T>;
  /** The address is read-only. */
  fixed?: boolean;
  challenge: Challenge;
  /** Called when the CAPTCHA is still running. */
  wait: () => void;
  /** Called when a code is requested, to clear an earlier error. */
  onAsk: () => void;
  /** The request for a code; by default the one that verifies an address. */
  ask?: (email: string, query: Query) => Promise<unknown>;
  /** Message after the code was sent. */
  sent?: string;
  /** Called when all digits are typed, so that a form without further fields can submit itself. */
  onWhole?: () => void;
}

type Query = NonNullable<Challenge['query']>;

const sendCode = (email: string, query: Query) => call(registerApi.sendCode, { query: { ...query, email } });

/** An e-mail address to verify, and the code sent to it. */
export function MailCodeFields<T extends FieldValues, Out>(props: Props<T, Out>) {
  const { form, email, code, challenge, wait, onAsk, ask: asked = sendCode, onWhole } = props;
  const { t } = useTranslation('mailCode');
  const { control, getValues, setError, setFocus, trigger } = form;
  const { left, busy, sentTo, error, send } = useSendCode(
    async (address, query) => {
      try {
        await asked(address, query);
      } catch (refusal) {
        if (isAtField(refusal)) setError(email, { type: 'server', message: refusal.message }, { shouldFocus: true });
        throw refusal;
      }
    },
    { challenge, wait, onSent: () => setFocus(code) },
  );
  const ask = async () => {
    onAsk();
    const address = String(getValues(email)).trim();
    if (address === '') return setError(email, { message: t('missing') }, { shouldFocus: true });
    if (!mailAddress.safeParse(address).success) return void (await trigger(email, { shouldFocus: true }));
    send(address);
  };
  return (
    <>
      <FormText
        control={control}
        name={email}
        type="email"
        label={t('email')}
        autoComplete="email"
        disabled={props.fixed}
        maxLength={50}
        aside={
          <SendCodeButton
            className="-my-2 -mr-2 max-sm:-my-3"
            {...{ left, busy }}
            words={t('send')}
            waiting={t('again', { seconds: left })}
            onSend={() => void ask()}
          />
        }
      />
      {error && !isAtField(error) && (
        <Note tone="bad" live>
          {error.message}
        </Note>
      )}
      <div>
        <FormText
          control={control}
          name={code}
          label={t('code')}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={20}
          onTyped={(text) => {
            if (/^\d{6}$/.test(text.replace(/\s/g, ''))) onWhole?.();
          }}
        />
        <p role="status" className="mt-1.5 text-12 text-text3 empty:hidden">
          {sentTo && (props.sent ?? t('sent', { email: sentTo }))}
        </p>
      </div>
    </>
  );
}

const isAtField = (error: unknown): error is ApiError => error instanceof ApiError && error.field === 'email';
