import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSite } from '#api/site.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import type { FirstStep } from './first-step.ts';
import { PasswordForm } from './password-form.tsx';

/** Loaded with its texts, which the page itself does not need. */
const CodeForm = lazy(async () => {
  const [{ CodeForm: form }] = await Promise.all([import('./code-form.tsx'), loadTexts('shared', 'mailCode')]);
  return { default: form };
});

/** Password, or a code by mail where the site sends mail. */
export function FirstSteps(step: FirstStep) {
  const { t } = useTranslation('login');
  const site = useSite();
  const [chosen, setChosen] = useState<'password' | 'code'>('password');
  const ways = [
    ...(site?.password_login === false ? [] : [{ value: 'password' as const, label: t('byPassword') }]),
    ...(site?.mail && step.known?.email !== '' ? [{ value: 'code' as const, label: t('byCode') }] : []),
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
