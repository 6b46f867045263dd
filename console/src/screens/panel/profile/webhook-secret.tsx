import { Secret } from '#ui/form/secret.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { loadWebhookSecret } from './profile-api.ts';

/** The secret by which receivers check notifications about the user's tasks. */
export function WebhookSecret() {
  const { t } = useTranslation('profile');
  return (
    <div className="border-t border-line px-4 py-3">
      <h3 className="font-medium">{t('webhookSecret')}</h3>
      <p className="mb-2 text-13 text-text2">{t('webhookSecretText')}</p>
      <Secret boxed masked="whsec_••••••••" load={loadWebhookSecret} name={t('webhookSecret')} />
    </div>
  );
}
