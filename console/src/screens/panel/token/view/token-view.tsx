import type { ActivityDays, OwnedToken, Token } from '@relay-hub/contract';
import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ActivityBody } from '#domain/activity/activity-body.tsx';
import { FactList } from '#domain/activity/fact-list.tsx';
import { ObjectDrawer } from '#domain/activity/object-drawer.tsx';
import { ViewFooter } from '#domain/activity/view-footer.tsx';
import { rowId } from '#list/use-list-screen.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { tileLook } from '#ui/basic/mark.tsx';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { CapUseList } from '#screens/panel/token/limits/cap-use-list.tsx';
import { TokenStatus } from '#screens/panel/token/token-cells.tsx';

type Shown = Token | OwnedToken;

interface Props<T extends Shown> {
  id: number;
  rows: readonly T[];
  /** Reads a token that is not among the rows. */
  query: Pick<UseQueryOptions<T>, 'queryKey' | 'queryFn'>;
  onGo: (id: number) => void;
  onEdit: (token: T) => void;
  onClose: () => void;
}

/** The read view of a token for its owner: calls, refusals, limits. The key stays masked. */
export const OwnTokenView = (props: Props<Token>) => <TokenView {...props} of="ownToken" />;

/** The same for administrators, with channels. */
export const OwnedTokenView = (props: Props<OwnedToken>) => <TokenView {...props} of="token" />;

type ViewProps<T extends Shown> = Props<T> & { of: 'token' | 'ownToken' };

function TokenView<T extends Shown>({ id, of, rows, query, onGo, onEdit, onClose }: ViewProps<T>) {
  const { t } = useTranslation(['activity', 'token']);
  const [days, setDays] = useState<ActivityDays>('1');
  const listed = rows.find((row) => row.id === id);
  const { data, error, isFetching, refetch } = useQuery({ ...query, meta: { quiet: true }, enabled: !listed });
  const log = { token_id: id };
  return (
    <ObjectDrawer
      id={id}
      rows={rows}
      keyOf={rowId}
      onGo={(next) => onGo(Number(next))}
      record={listed ?? data}
      error={error}
      busy={isFetching}
      onRetry={() => void refetch()}
      placeholder={t('token:title')}
      titleOf={({ name }) => name}
      tile={() => (
        <span className={tileLook(32)}>
          <Icon of={KeyRound} size={18} />
        </span>
      )}
      subtitle={(token) => (
        <span className="flex flex-wrap items-start gap-x-3">
          <TokenStatus token={token} />
          <span>{[`#${token.id}`, token.tag].filter((fact) => fact !== '').join(' · ')}</span>
        </span>
      )}
      footer={(token) => <ViewFooter log={log} onEdit={() => onEdit(token)} />}
      onClose={onClose}
    >
      {(token) => (
        <ActivityBody
          subject={{ of, id: token.id }}
          days={days}
          onDays={setDays}
          allTime={token.used_quota}
          log={log}
          setup={<Setup token={token} />}
        >
          <DetailSection title={t('limits')}>
            {token.use.length === 0 ? (
              <p className="text-13 text-text2">{t('noLimits')}</p>
            ) : (
              <CapUseList uses={token.use} />
            )}
          </DetailSection>
        </ActivityBody>
      )}
    </ObjectDrawer>
  );
}

function Setup({ token }: { token: Shown }) {
  const { t } = useTranslation('activity');
  const { key, unlimited_quota: unlimited, remain_quota: left, group, expired_time: expires, accessed_time } = token;
  return (
    <FactList
      title={t('setup')}
      facts={[
        ...('username' in token
          ? [
              [
                t('owner'),
                <Link
                  key="owner"
                  className="touch text-accent hover:underline"
                  to="/panel/user"
                  search={{ show: token.user_id }}
                >
                  {token.username}
                </Link>,
              ] as const,
            ]
          : []),
        [
          t('key'),
          <span key="key" className="font-mono">
            {key}
          </span>,
        ],
        [
          t('quota'),
          unlimited ? (
            t('unlimited')
          ) : (
            <Money key="left" credits={left} className={left <= 0 ? 'text-warn' : undefined} />
          ),
        ],
        [t('group'), group || t('followsUser')],
        [t('expires'), <Time key="expires" at={expires} as="date" none={t('never')} />],
        [t('lastUse'), <Time key="use" at={accessed_time} as="relative" none={t('never')} />],
      ]}
    />
  );
}
