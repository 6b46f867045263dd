import type { LedgerEntry } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { LedgerKindName } from '#domain/ledger/ledger-kind.tsx';
import { Money } from '#ui/format/money.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { useEntryRemark } from '#domain/ledger/use-entry-remark.ts';
import { earlierQuery } from './quota-api.ts';

/** Earlier changes of the balance, except charges of calls. */
export function RecentChanges({ user }: { user: { id: number; username: string } }) {
  const { t } = useTranslation('quota');
  const { data, error } = useQuery(earlierQuery(user.id));
  return (
    <DrawerSection
      title={t('earlier')}
      aside={
        <Link
          to="/panel/ledger"
          search={{ username: user.username }}
          className="touch text-13 text-accent hover:underline"
        >
          {t('all')}
        </Link>
      }
    >
      {error && !data ? (
        <p className="text-13 text-text2">{error.message}</p>
      ) : data?.data.length === 0 ? (
        <p className="text-13 text-text2">{t('none')}</p>
      ) : (
        <ul className="-my-1.5 text-13 text-text2">
          {!data && (
            <li className="flex h-7.5 items-center">
              <Skeleton width="70%" />
            </li>
          )}
          {data?.data.map((entry) => (
            <li key={entry.id} className="flex min-h-7.5 items-center gap-3 max-sm:flex-wrap max-sm:py-1">
              <Time at={entry.created_time} className="w-36 flex-none" />
              <Money credits={entry.credits} signed className="w-21 flex-none text-right text-text max-sm:ml-auto" />
              <span className="w-16 flex-none truncate max-sm:w-auto">
                {entry.actor_name || t(`actors.${entry.actor}`)}
              </span>
              <span className="min-w-0 flex-1 truncate">
                <Remark entry={entry} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </DrawerSection>
  );
}

/** The remark of an entry, or else its kind. */
function Remark({ entry }: { entry: LedgerEntry }) {
  return useEntryRemark(entry) || <LedgerKindName kind={entry.kind} />;
}
