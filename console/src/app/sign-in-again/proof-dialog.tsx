import { proofApi, userApi, type Self } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#api/api-error.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { canUsePasskeys, proveByPasskey } from '#api/passkey.ts';
import { selfQuery } from '#api/self.ts';
import { askToSignIn, endSession } from '#api/failed-call.ts';
import { endedKey, userKey, useSession } from '#api/session.ts';
import { storage } from '#api/storage.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Field } from '#ui/form/field.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { discardPage } from '../discard-page.ts';
import { OrLine } from './or-line.tsx';
import { useProvidersOf } from './other-ways-again.tsx';
import { Who } from './who.tsx';

type Way = 'password' | 'code';

const waysQuery = { ...apiQuery(proofApi.get), staleTime: 0, gcTime: 0, meta: { quiet: true } };

/** Asks who somebody is: by passkey, password or a code of the app, whichever the account has. */
export function ProofDialog({ onAnswer }: { onAnswer: (proved: boolean) => void }) {
  const { t } = useTranslation('signInAgain');
  const { data, error, isFetching, refetch } = useQuery(waysQuery);
  const place = useRef<HTMLDivElement>(null);
  const proved = useRef(false);
  const { user } = useSession();
  const self = useQueryClient().getQueryData<Self>(selfQuery.queryKey);
  const notYou = useMutation({
    mutationFn: () => call(userApi.logout),
    onSuccess: () => {
      // Not by `forgetUser`, which would lead this page elsewhere while it is on its way out.
      storage.remove(endedKey);
      storage.remove(userKey);
      discardPage('/login');
    },
  });
  const passkey = data?.passkey === true && canUsePasskeys();
  const typed = data?.password === true || data?.totp === true;
  const done = (close: () => void) => {
    proved.current = true;
    close();
  };
  return (
    <Dialog
      title={t('proofTitle')}
      text={t('proofText')}
      width={440}
      onTop
      initialFocus={() => place.current?.querySelector<HTMLElement>('input:not([hidden])')}
      onClose={() => onAnswer(proved.current)}
    >
      {(close) => (
        <div ref={place} className="grid grid-cols-1 gap-4">
          {user && (
            <Who user={user} email={self?.email ?? ''} busy={notYou.isPending} onNotYou={() => notYou.mutate()} />
          )}
          {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
          {!error && !data && <Skeleton className="h-24 rounded-control" />}
          {passkey && <PasskeyProof first={!typed} onProved={() => done(close)} />}
          {passkey && typed && <OrLine />}
          {data && typed && (
            <TypedProof ways={{ password: data.password, code: data.totp }} onProved={() => done(close)} />
          )}
          {data && !passkey && !typed && <ProofElsewhere self={self} />}
        </div>
      )}
    </Dialog>
  );
}

/** An account without a secret of its own: it signs in at its provider, which takes another session than this one. */
function ProofElsewhere({ self }: { self: Self | undefined }) {
  const { t } = useTranslation('signInAgain');
  const shown = useProvidersOf(self);
  const end = useMutation({
    mutationFn: () => call(userApi.logout),
    onSuccess: () => {
      endSession();
      askToSignIn(true);
    },
  });
  return (
    <Note tone="warn">
      <p>{t('none')}</p>
      {shown.length > 0 && (
        <Button size="sm" className="mt-2" busy={end.isPending} onClick={() => end.mutate()}>
          {t('title')}
        </Button>
      )}
    </Note>
  );
}

function PasskeyProof({ first, onProved }: { first: boolean; onProved: () => void }) {
  const { t } = useTranslation('signInAgain');
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
  const { t } = useTranslation('signInAgain');
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
        error={missing ? t(`${way}Missing`) : wrongIn(prove.error, t('wrongCode'))}
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
