import { registerApi } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useSite } from '#api/site.ts';
import { Button } from '#ui/basic/button.tsx';
import { useChallenge } from '#domain/challenge/use-challenge.tsx';
import { useSendCode } from '#domain/challenge/use-send-code.ts';
import { EntryCard } from '#ui/table/entry-card.tsx';
import { Field } from '#ui/form/field.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';

const loadRule = () => import('./is-mail-address.ts');

export function ResetScreen() {
  const { t } = useTranslation('register');
  const site = useSite();
  const toLogin = (
    <Link to="/login" className="text-accent underline-offset-2 hover:underline">
      {t('backToLogin')}
    </Link>
  );
  return (
    <EntryCard title={t('resetTitle')} below={toLogin}>
      {site?.mail === false ? <Note tone="warn">{t('noMail')}</Note> : <ResetForm />}
    </EntryCard>
  );
}

function ResetForm() {
  const { t } = useTranslation('register');
  const fieldMessage = useFieldMessage();
  const input = useRef<HTMLInputElement>(null);
  const challenge = useChallenge();
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [waits, setWaits] = useState(false);
  const { left, busy, sentTo, error, send } = useSendCode(
    (to, query) => call(registerApi.askReset, { query: { ...query, email: to } }),
    { challenge, wait: () => setWaits(true) },
  );
  useEffect(() => input.current?.focus(), []);
  const submit = async () => {
    setWaits(false);
    const found = email.trim() === '' ? 'required' : (await loadRule()).isMailAddress(email) ? undefined : 'user.email';
    setProblem(found && fieldMessage(found));
    if (found) input.current?.focus();
    else send(email.trim());
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      className="flex flex-col gap-4"
    >
      <p className="text-text2">{t('resetText')}</p>
      {waits && (
        <Note tone="warn" live>
          {t('wait')}
        </Note>
      )}
      {error && (
        <Note tone="bad" live>
          {error.message}
        </Note>
      )}
      {sentTo && !error && (
        <Note tone="ok" live>
          {t('resetSent', { email: sentTo })}
        </Note>
      )}
      <Field label={t('email')} error={problem}>
        {(aria) => (
          <input
            {...aria}
            ref={input}
            type="email"
            name="email"
            autoComplete="email"
            maxLength={50}
            className="box"
            value={email}
            onFocus={() => void loadRule()}
            onChange={(event) => {
              setEmail(event.target.value);
              setProblem(undefined);
            }}
          />
        )}
      </Field>
      {challenge.widget}
      <Button type="submit" variant="primary" size="lg" busy={busy} disabled={left > 0} className="w-full tabular-nums">
        {left > 0 ? t('resetAgainIn', { seconds: left }) : t(sentTo ? 'resetAgain' : 'resetSubmit')}
      </Button>
    </form>
  );
}
