import { useTranslation } from '#i18n/use-translation.ts';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { WaysCard } from '#domain/ways/ways-card.tsx';
import { AccessKeysCard } from './access-keys-card.tsx';
import { AccessTokenCard } from './access-token-card.tsx';
import { BindingsCard } from './bindings-card.tsx';
import { CloseAccountCard } from './close-account-card.tsx';
import { IdentityCard } from './identity-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { SecurityCard } from './security-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** The own account: identity, sign-in methods, sessions. */
export function ProfileScreen() {
  const { t } = useTranslation('profile');
  return (
    <>
      <PageHeader title={t('title')} />
      <div className="grid grid-cols-1 items-start gap-4 max-sm:gap-2 lg:grid-cols-2">
        <div className="grid min-w-0 grid-cols-1 gap-4 max-sm:gap-2">
          <IdentityCard />
          <SecurityCard />
          <AccessTokenCard />
          <AccessKeysCard />
        </div>
        <div className="grid min-w-0 grid-cols-1 gap-4 max-sm:gap-2">
          <PasskeysCard />
          <BindingsCard />
          <WaysCard site={false} />
          <SessionsCard />
          <CloseAccountCard />
        </div>
      </div>
    </>
  );
}
