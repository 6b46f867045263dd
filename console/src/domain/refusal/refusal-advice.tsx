import type { Log } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { useSession } from '#api/session.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { Money } from '#ui/format/money.tsx';

interface Advice {
  text: ReactNode;
  /** Link to the place of the action. */
  link?: ReactElement<{ className?: string; children?: ReactNode }> | undefined;
  label?: string | undefined;
}

/** The fields of a log row that the advice depends on. */
type RefusedCall = Pick<Log, 'user_id' | 'username' | 'token_name' | 'model_name' | 'metadata'>;

/**
 * Advice for a refused call. For calls of other users, administrators get the actions that they can take.
 */
export function useRefusalAdvice(row: RefusedCall): Advice {
  const { t } = useTranslation('refusal');
  const { user: me, isAdmin, account } = useSession();
  const groups = useUserGroups();
  const own = row.user_id === (account?.id ?? me?.id);
  const { token_id: tokenId = 0, reason = '' } = row.metadata?.refusal ?? {};
  const symbol = row.metadata?.group_name ?? '';
  const names = {
    user: row.username,
    token: row.token_name,
    model: row.model_name || t('aModel'),
    group: groups[symbol]?.name ?? symbol,
  };
  const token = { link: <Link to="/panel/token" search={{ edit: String(tokenId) }} />, label: t('openToken') };
  const user = { link: <Link to="/panel/user" search={{ edit: String(row.user_id) }} />, label: t('openUser') };
  const channels = { link: <Link to="/panel/channel" />, label: t('channels') };

  switch (reason) {
    case 'insufficient_user_quota':
      return own
        ? { text: <OwnBalance />, link: <Link to="/panel/topup" />, label: t('topUp') }
        : {
            text: t('advice.userBalance', names),
            link: <Link to="/panel/user" search={{ adjust: row.user_id }} />,
            label: t('adjust'),
          };
    case 'insufficient_token_quota':
      return own ? { text: t('advice.ownTokenQuota', names), ...token } : { text: t('advice.userTokenQuota', names) };
    case 'token_disabled':
      return own
        ? { text: t('advice.ownTokenDisabled', names), ...token }
        : { text: t('advice.userTokenDisabled', names) };
    case 'token_expired':
      return own
        ? { text: t('advice.ownTokenExpired', names), ...token }
        : { text: t('advice.userTokenExpired', names) };
    case 'key_replaced':
      return own ? { text: t('advice.ownKeyReplaced', names), ...token } : { text: t('advice.userKeyReplaced', names) };
    case 'member_gone':
      return own
        ? { text: t('advice.member'), link: <Link to="/panel/team" />, label: t('team') }
        : { text: t('advice.member') };
    case 'account_disabled':
      return { text: t('advice.account', names), ...user };
    case 'model_not_found':
      return isAdmin
        ? { text: t('advice.userModel', names), ...channels }
        : { text: t('advice.ownModel', names), link: <Link to="/panel/pricing" />, label: t('models') };
    case 'model_not_priced':
      return isAdmin
        ? {
            text: t('advice.userPrice', names),
            link: <Link to="/panel/model_price" search={{ keyword: row.model_name }} />,
            label: t('setPrice'),
          }
        : { text: t('advice.ownPrice', names) };
    case 'no_available_channel':
      return isAdmin ? { text: t('advice.userChannel', names), ...channels } : { text: t('advice.ownChannel', names) };
    case 'channel_limit':
      return isAdmin
        ? { text: t('advice.userChannelLimit', names), ...channels }
        : { text: t('advice.ownChannelLimit') };
    case 'rate_limit_exceeded':
      return isAdmin
        ? { text: t('advice.userRate', names), link: <Link to="/panel/user_group" />, label: t('groups') }
        : { text: t('advice.ownRate') };
    case 'group_forbidden':
      return own ? { text: t('advice.ownGroup', names), ...token } : { text: t('advice.userGroup', names) };
    case 'model_off':
      return isAdmin
        ? { text: t('advice.userModelOff', names), link: <Link to="/panel/user_group" />, label: t('groups') }
        : { text: t('advice.ownModelOff', names), link: <Link to="/panel/pricing" />, label: t('models') };
    case 'address_blocked':
      return isAdmin
        ? { text: t('advice.blocked'), link: <Link to="/panel/block" />, label: t('blockList') }
        : { text: t('advice.blocked') };
    case 'guard_refused':
      return isAdmin
        ? { text: t('advice.guard'), link: <Link to="/panel/guard" />, label: t('guards') }
        : { text: t('advice.guard') };
    case 'channel_forbidden':
    case 'channel_required':
      return { text: t('advice.channelInKey') };
    case 'unknown_url':
    case 'method_not_allowed':
      return { text: t('advice.path') };
    case 'maintenance':
      return { text: t('advice.maintenance') };
    case 'api_disabled':
      return { text: t('advice.api') };
  }
  if ((row.metadata?.status ?? 0) < 500) return { text: t('advice.request') };
  return { text: t(isAdmin ? 'advice.userServer' : 'advice.ownServer') };
}

/** The current balance, which may differ from the one at the refusal. */
function OwnBalance() {
  const { t } = useTranslation('refusal');
  const { data: self } = useSelf();
  const [before, after] = t('advice.ownBalance').split('{balance}');
  return (
    <>
      {before}
      {self ? <Money credits={self.quota} /> : '…'}
      {after}
    </>
  );
}
