import { payerRoles } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { Handshake } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { type ChosenAccount, chooseAccount } from '#api/account.ts';
import { useSelf } from '#api/self.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';

/** Shows that pages and calls are those of a team, and its balance. */
export function AccountStrip({ account }: { account: ChosenAccount }) {
  const { t } = useTranslation('team');
  const { data: self } = useSelf();
  const quota = self?.id === account.id ? self.quota : undefined;
  return (
    <div
      role="status"
      className="flex min-h-11 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-accent-soft px-6 py-1.5 text-13 max-sm:px-4 print:hidden"
    >
      <Icon of={Handshake} />
      <Link to="/panel/team" className="min-w-0 truncate font-title underline">
        {self?.id === account.id ? self.username : account.name}
      </Link>
      <span className="text-text2">{t(`role.${account.role}`)}</span>
      {quota !== undefined && (
        <span>
          {t('balance')} <Money credits={quota} />
        </span>
      )}
      {payerRoles.includes(account.role) && (
        <Link to="/panel/topup" className="underline">
          {t('topUp')}
        </Link>
      )}
      <Button size="sm" saves={false} className="ml-auto" onClick={() => chooseAccount(account.user)}>
        {t('backToOwn')}
      </Button>
    </div>
  );
}
