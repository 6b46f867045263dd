import { ledgerApi, tokenAdminApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery } from '#api/api-query.ts';
import { RelatedList } from '#domain/activity/related-list.tsx';
import { EntryRow } from '#domain/ledger/entry-list.tsx';
import { movementKinds } from '#domain/ledger/movement-kinds.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';

interface Account {
  id: number;
  username: string;
}

/** The tokens used last. */
export function AccountTokens({ account }: { account: Account }) {
  const { t } = useTranslation('activity');
  const query = { user_id: account.id, size: 5, order: '-accessed_time' };
  const tokens = useQuery({ ...apiQuery(tokenAdminApi.list, { query }), meta: { quiet: true } });
  return (
    <RelatedList
      title={t('tokensOf')}
      query={tokens}
      empty={t('noTokens')}
      more={
        <Link
          className="touch text-accent hover:underline"
          to="/panel/token"
          search={{ scope: 'all', user_id: account.id }}
        >
          {t('showAll')}
        </Link>
      }
    >
      {({ id, name, accessed_time: at, used_quota: used }) => (
        <Link
          key={id}
          className="flex h-9 items-center gap-4 px-3 -outline-offset-2 hover:bg-hover"
          to="/panel/token"
          search={{ scope: 'all', user_id: account.id, show: id }}
        >
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <Time at={at} as="relative" none={t('never')} className="text-12 text-text2" />
          <span className="w-20 text-right">
            <Money credits={used} />
          </span>
        </Link>
      )}
    </RelatedList>
  );
}

/** The last movements of the balance. */
export function AccountEntries({ account }: { account: Account }) {
  const { t } = useTranslation('activity');
  const query = { user_id: account.id, size: 5, kind: movementKinds };
  const entries = useQuery({ ...apiQuery(ledgerApi.list, { query }), meta: { quiet: true } });
  return (
    <RelatedList
      title={t('lastEntries')}
      query={entries}
      empty={t('noEntries')}
      more={
        <Link className="touch text-accent hover:underline" to="/panel/ledger" search={{ username: account.username }}>
          {t('showLedger')}
        </Link>
      }
    >
      {(entry) => <EntryRow key={entry.id} entry={entry} />}
    </RelatedList>
  );
}
