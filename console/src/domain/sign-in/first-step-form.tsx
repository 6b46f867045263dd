import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSite } from '#api/site.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import type { FirstStepProps } from './first-step-props.ts';
import { PasswordForm } from './password-form.tsx';

/** Loaded with its texts, which the page itself does not need. */
const CodeForm = lazy(async () => {
  const [{ CodeForm: form }] = await Promise.all([import('./code-form.tsx'), loadTexts('shared', 'mailCode')]);
  return { default: form };
});

/** Password, or a code by mail where the site sends mail. */
export function FirstStepForm(step: FirstStepProps) {
  const { t } = useTranslation('login');
  const site = useSite();
  const [chosen, setChosen] = useState<'password' | 'code'>('password');
  const methods = [
    ...(site?.password_login === false ? [] : [{ value: 'password' as const, label: t('byPassword') }]),
    ...(site?.mail && step.known?.email !== '' ? [{ value: 'code' as const, label: t('byCode') }] : []),
  ];
  const method = methods.some(({ value }) => value === chosen) ? chosen : (methods[0]?.value ?? 'password');
  const form = method === 'password' ? <PasswordForm {...step} /> : <CodeForm {...step} />;
  if (methods.length < 2) return <Suspense>{form}</Suspense>;
  return (
    <>
      <Tabs label={t('ways')} id="login" value={method} tabs={methods} onChange={setChosen} className="-mt-3 mb-5" />
      <TabPanel id="login" value={method}>
        <Suspense>{form}</Suspense>
      </TabPanel>
    </>
  );
}
