import { proofApi, userApi, type Self } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useRef, useState, type FormEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
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
import { OrDivider } from './or-divider.tsx';
import { useProvidersOf } from './sign-in-alternatives.tsx';
import { PageUser } from './page-user.tsx';

type ProofMethod = 'password' | 'code';

const methodsQuery = { ...apiQuery(proofApi.get), staleTime: 0, gcTime: 0, meta: { quiet: true } };

/** Authenticates before a sensitive action: by passkey, password or authenticator code. */
export function ProofDialog({ onAnswer }: { onAnswer: (proved: boolean) => void }) {
  const { t } = useTranslation('signInAgain');
  const { data, error, isFetching, refetch } = useQuery(methodsQuery);
  const place = useRef<HTMLDivElement>(null);
  const proved = useRef(false);
  const { user } = useSession();
  const self = useQueryClient().getQueryData<Self>(selfQuery.queryKey);
  const notYou = useMutation({
    mutationFn: () => call(userApi.logout),
    onSuccess: () => {
      // Not `forgetUser`: it would navigate while the page is being discarded.
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
            <PageUser user={user} email={self?.email ?? ''} busy={notYou.isPending} onNotYou={() => notYou.mutate()} />
          )}
          {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
          {!error && !data && <Skeleton className="h-24 rounded-control" />}
          {passkey && <PasskeyProof first={!typed} onProved={() => done(close)} />}
          {passkey && typed && <OrDivider />}
          {data && typed && (
            <TypedProof methods={{ password: data.password, code: data.totp }} onProved={() => done(close)} />
          )}
          {data && !passkey && !typed && <ProofElsewhere self={self} />}
        </div>
      )}
    </Dialog>
  );
}

/** For accounts without a password or passkey: they must sign in again at their provider, in a new session. */
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

function TypedProof({ methods, onProved }: { methods: Record<ProofMethod, boolean>; onProved: () => void }) {
  const { t } = useTranslation('signInAgain');
  const { user } = useSession();
  const input = useRef<HTMLInputElement>(null);
  const [method, setMethod] = useState<ProofMethod>(methods.password ? 'password' : 'code');
  const [missing, setMissing] = useState(false);
  const prove = useMutation({
    mutationFn: (value: string) => call(proofApi.prove, { body: { [method]: value } }),
    meta: { quiet: true },
    // The sent value is a secret.
    gcTime: 0,
    onSuccess: onProved,
    onError: () => input.current?.select(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const typed = input.current?.value ?? '';
    // Do not trim passwords.
    const value = method === 'code' ? typed.trim() : typed;
    setMissing(value === '');
    if (value === '') return input.current?.focus();
    if (!prove.isPending) prove.mutate(value);
  };
  const change = (next: ProofMethod) => {
    setMethod(next);
    setMissing(false);
    prove.reset();
  };
  return (
    <form noValidate onSubmit={submit} className="grid grid-cols-1 gap-4">
      {methods.password && methods.code && (
        <Segmented
          label={t('way')}
          value={method}
          options={[
            { value: 'password', label: t('password') },
            { value: 'code', label: t('code') },
          ]}
          onChange={change}
        />
      )}
      <input hidden readOnly autoComplete="username" value={user?.username ?? ''} />
      <Field
        label={t(method)}
        hint={method === 'code' ? t('codeHint') : undefined}
        error={missing ? t(`${method}Missing`) : messageOf(prove.error, t('wrongCode'))}
      >
        {(aria) => (
          <input
            {...aria}
            key={method}
            ref={input}
            autoFocus
            className={method === 'code' ? 'box font-mono tracking-widest' : 'box'}
            type={method === 'code' ? 'text' : 'password'}
            inputMode={method === 'code' ? 'numeric' : undefined}
            autoComplete={method === 'code' ? 'one-time-code' : 'current-password'}
            maxLength={method === 'code' ? 7 : 255}
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

function messageOf(error: Error | null, words: string): string | undefined {
  if (!error) return undefined;
  return error instanceof ApiError && error.code === 'input.invalid' ? words : error.message;
}
