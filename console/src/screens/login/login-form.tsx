import type { SessionUser } from '@relay-hub/contract';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { rememberUser } from '#api/session.ts';
import { useSite } from '#api/site.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { TabPanel, Tabs } from '#shared/tabs.tsx';
import type { FirstStep } from './first-step.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { PasswordForm } from './password-form.tsx';

const SecondStep = lazy(async () => ({ default: (await import('./second-step.tsx')).SecondStep }));
/** With the words of its fields, which the page does without. */
const CodeForm = lazy(async () => {
  const [{ CodeForm: form }] = await Promise.all([import('./code-form.tsx'), loadTexts('shared', 'mailCode')]);
  return { default: form };
});

const route = getRouteApi('/_public/login');

interface Props {
  /** Whether the first step is taken. */
  second: boolean;
  onStep: (step: 'first' | 'second') => void;
}

/** The password, and the second step where the account has one. */
export function LoginForm({ second, onStep }: Props) {
  const { redirect } = route.useSearch();
  const router = useRouter();
  const [over, setOver] = useState<string>();
  const signedIn = (user: SessionUser) => {
    rememberUser(user);
    // The guard of this page leads on as soon as there is a user; this only says where to.
    router.history.push(redirect ?? '/panel');
  };
  const back = (why?: string) => {
    onStep('first');
    setOver(why);
  };
  if (second)
    return (
      <Suspense>
        <SecondStep onSignedIn={signedIn} onBack={back} />
      </Suspense>
    );
  return (
    <>
      <FirstSteps over={over} onSignedIn={signedIn} onSecondStep={() => onStep('second')} />
      <div className="mt-3 flex flex-col gap-3 empty:hidden">
        <PasskeyButton onSignedIn={signedIn} />
      </div>
    </>
  );
}

/** The password, or a code by mail where the site sends mail. */
function FirstSteps(step: FirstStep) {
  const { t } = useTranslation('login');
  const site = useSite();
  const [chosen, setChosen] = useState<'password' | 'code'>('password');
  const ways = [
    ...(site?.password_login === false ? [] : [{ value: 'password' as const, label: t('byPassword') }]),
    ...(site?.mail ? [{ value: 'code' as const, label: t('byCode') }] : []),
  ];
  const way = ways.some(({ value }) => value === chosen) ? chosen : (ways[0]?.value ?? 'password');
  const form = way === 'password' ? <PasswordForm {...step} /> : <CodeForm {...step} />;
  if (ways.length < 2) return <Suspense>{form}</Suspense>;
  return (
    <>
      <Tabs label={t('ways')} id="login" value={way} tabs={ways} onChange={setChosen} className="-mt-3 mb-5" />
      <TabPanel id="login" value={way}>
        <Suspense>{form}</Suspense>
      </TabPanel>
    </>
  );
}
