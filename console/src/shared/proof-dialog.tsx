import { proofApi } from '@relay-hub/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fingerprint, ShieldCheck } from 'lucide-react';
import { useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#api/api-error.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { canUsePasskeys, proveByPasskey } from '#api/passkey.ts';
import { useSession } from '#api/session.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorState } from './error-state.tsx';
import { Field } from './field.tsx';
import { Note } from './note.tsx';
import { Segmented } from './segmented.tsx';
import { Skeleton } from './skeleton.tsx';

type Way = 'password' | 'code';

const waysQuery = { ...apiQuery(proofApi.get), staleTime: 0, gcTime: 0, meta: { quiet: true } };

/** Asks who somebody is: by passkey, password or a code of the app, whichever the account has. */
export function ProofDialog({ onAnswer }: { onAnswer: (proved: boolean) => void }) {
  const { t } = useTranslation('proof');
  const { data, error, isFetching, refetch } = useQuery(waysQuery);
  const proved = useRef(false);
  const passkey = data?.passkey === true && canUsePasskeys();
  const typed = data?.password === true || data?.totp === true;
  const done = (close: () => void) => {
    proved.current = true;
    close();
  };
  return (
    <Dialog
      title={t('title')}
      text={t('text')}
      icon={ShieldCheck}
      iconTone="text-accent"
      width={400}
      onTop
      onClose={() => onAnswer(proved.current)}
    >
      {(close) => (
        <div className="grid grid-cols-1 gap-4">
          {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
          {!error && !data && <Skeleton className="h-24 rounded-control" />}
          {passkey && <PasskeyProof first={!typed} onProved={() => done(close)} />}
          {passkey && typed && <Or />}
          {data && typed && (
            <TypedProof ways={{ password: data.password, code: data.totp }} onProved={() => done(close)} />
          )}
          {data && !passkey && !typed && <Note tone="warn">{t('none')}</Note>}
        </div>
      )}
    </Dialog>
  );
}

function Or() {
  const { t } = useTranslation('proof');
  return (
    <div className="flex items-center gap-3 text-12 text-text3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {t('or')}
    </div>
  );
}

function PasskeyProof({ first, onProved }: { first: boolean; onProved: () => void }) {
  const { t } = useTranslation('proof');
  const prove = useMutation({
    mutationFn: proveByPasskey,
    meta: { quiet: true },
    onSuccess: (proved) => proved && onProved(),
  });
  return (
    <>
      <Button
        icon={Fingerprint}
        size="lg"
        variant={first ? 'primary' : 'default'}
        busy={prove.isPending}
        onClick={() => prove.mutate()}
      >
        {t('passkey')}
      </Button>
      {prove.isError && (
        <Note tone="bad" live>
          {prove.error.message}
        </Note>
      )}
    </>
  );
}

function TypedProof({ ways, onProved }: { ways: Record<Way, boolean>; onProved: () => void }) {
  const { t } = useTranslation('proof');
  const { user } = useSession();
  const input = useRef<HTMLInputElement>(null);
  const [way, setWay] = useState<Way>(ways.password ? 'password' : 'code');
  const [missing, setMissing] = useState(false);
  const prove = useMutation({
    mutationFn: (value: string) => call(proofApi.prove, { body: { [way]: value } }),
    meta: { quiet: true },
    // What was sent is a secret.
    gcTime: 0,
    onSuccess: onProved,
    onError: () => input.current?.select(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const typed = input.current?.value ?? '';
    // A password is what was typed, blanks at its ends included.
    const value = way === 'code' ? typed.trim() : typed;
    setMissing(value === '');
    if (value === '') return input.current?.focus();
    if (!prove.isPending) prove.mutate(value);
  };
  const change = (next: Way) => {
    setWay(next);
    setMissing(false);
    prove.reset();
  };
  return (
    <form noValidate onSubmit={submit} className="grid grid-cols-1 gap-4">
      {ways.password && ways.code && (
        <Segmented
          label={t('way')}
          value={way}
          options={[
            { value: 'password', label: t('password') },
            { value: 'code', label: t('code') },
          ]}
          onChange={change}
        />
      )}
      <input hidden readOnly autoComplete="username" value={user?.username ?? ''} />
      <Field
        label={t(way)}
        hint={way === 'code' ? t('codeHint') : undefined}
        error={missing ? t(`${way}Missing`) : wrongIn(prove.error, t('wrong'))}
      >
        {(aria) => (
          <input
            {...aria}
            key={way}
            ref={input}
            autoFocus
            className={way === 'code' ? 'box font-mono tracking-widest' : 'box'}
            type={way === 'code' ? 'text' : 'password'}
            inputMode={way === 'code' ? 'numeric' : undefined}
            autoComplete={way === 'code' ? 'one-time-code' : 'current-password'}
            maxLength={way === 'code' ? 7 : 255}
            onInput={() => setMissing(false)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" size="lg" busy={prove.isPending}>
        {t('confirm')}
      </Button>
    </form>
  );
}

function wrongIn(error: Error | null, words: string): string | undefined {
  if (!error) return undefined;
  return error instanceof ApiError && error.code === 'input.invalid' ? words : error.message;
}
