import {
  channelApi,
  logApi,
  orderApi,
  ownOrderApi,
  priceApi,
  splitList,
  taskApi,
  tokenAdminApi,
  tokenApi,
  userAdminApi,
} from '@relay-hub/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Box, KeyRound, List, ListChecks, ReceiptText, Users, Waypoints } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { useOwners } from '#api/owners.ts';
import { useSession } from '#api/session.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { useHasScreen } from '#app/use-screens.ts';
import { matches, ranked, type PaletteGroup } from './palette-item.ts';

const most = 5;

/** Matching channels, users, tokens, models, orders, tasks and calls: what the user may see, on existing screens. */
export function useRecordSearch(typed: string): { groups: PaletteGroup[]; searching: boolean } {
  const channels = useChannels(typed);
  const users = useUsers(typed);
  const tokens = useTokens(typed);
  const models = useModels(typed);
  const orders = useOrders(typed);
  const tasks = useTasks(typed);
  const calls = useCalls(typed);
  const all = [channels, users, tokens, models, orders, tasks, calls];
  return { groups: all.map(({ group }) => group), searching: typed !== '' && all.some((found) => found.searching) };
}

/** Address of the read view of a record, next to the list of its kind. */
const viewOf = (path: string, show: string | number) => `${path}?${new URLSearchParams({ show: String(show) })}`;

function useChannels(keyword: string) {
  const { t } = useTranslation('palette');
  const { isAdmin } = useSession();
  const path = '/panel/channel';
  const hasScreen = useHasScreen()(path);
  const enabled = keyword !== '' && isAdmin && hasScreen;
  const listed = { placeholderData: keepPreviousData, enabled };
  // By name apart: those that match by their models must not push them out.
  const byName = useQuery({ ...apiQuery(channelApi.list, { query: { name: keyword, size: most } }), ...listed });
  const byAny = useQuery({ ...apiQuery(channelApi.list, { query: { keyword, size: most } }), ...listed });
  const rows = enabled ? [...(byName.data?.data ?? []), ...(byAny.data?.data ?? [])] : [];
  const found = [...new Map(rows.map((row) => [row.id, row])).values()].map((record) => ({
    record,
    name: record.name,
    fields: [
      [t('byTag'), record.tag],
      [t('byModel'), splitList(record.models).find((model) => matches(keyword, model)) ?? ''],
      [t('byAddress'), record.base_url],
    ] as const,
  }));
  const items = ranked(keyword, found)
    .slice(0, most)
    .map(({ record: { id, name, type }, by }) => ({
      id: `channel ${id}`,
      icon: Waypoints,
      tile: <ChannelTile type={type} name={name} size={20} />,
      title: name,
      note: by ?? `#${id}`,
      to: viewOf(path, id),
    }));
  return { group: { title: t('channels'), items }, searching: byName.isFetching || byAny.isFetching };
}

function useUsers(keyword: string) {
  const { t } = useTranslation('palette');
  const { isAdmin } = useSession();
  const path = '/panel/user';
  const hasScreen = useHasScreen()(path);
  const enabled = keyword !== '' && isAdmin && hasScreen;
  const { data, isFetching } = useQuery({
    ...apiQuery(userAdminApi.list, { query: { keyword, size: most } }),
    placeholderData: keepPreviousData,
    enabled,
  });
  const found = (enabled ? (data?.data ?? []) : []).map((record) => ({
    record,
    name: record.username,
    fields: [['', record.display_name] as const],
  }));
  const items = ranked(keyword, found).map(({ record: { id, username, display_name: shown } }) => ({
    id: `user ${id}`,
    icon: Users,
    title: username,
    note: shown === '' || shown === username ? `#${id}` : `#${id} · ${shown}`,
    to: viewOf(path, id),
  }));
  return { group: { title: t('users'), items }, searching: isFetching };
}

/** Own tokens, and for administrators those of all accounts; by name, tag, owner, or the last characters of a key. */
function useTokens(keyword: string) {
  const { t } = useTranslation('palette');
  const { isAdmin, user: me } = useSession();
  const path = '/panel/token';
  const hasScreen = useHasScreen()(path);
  const enabled = keyword !== '' && hasScreen;
  const listed = { placeholderData: keepPreviousData, enabled };
  const query = { keyword, size: most };
  const own = useQuery({ ...apiQuery(tokenApi.list, { query }), ...listed });
  const all = useQuery({ ...apiQuery(tokenAdminApi.list, { query }), ...listed, enabled: enabled && isAdmin });
  const others = (isAdmin ? (all.data?.data ?? []) : []).filter(({ user_id: id }) => id !== me?.id);
  const rows = enabled ? [...(own.data?.data ?? []).map((token) => ({ ...token, username: '' })), ...others] : [];
  // Only the end of a key is shown, so the typed text is compared by its own end.
  const isKey = (key: string) => keyword.length >= 4 && key.endsWith(keyword.slice(-4));
  const found = rows.map((record) => ({
    record,
    name: record.name,
    fields: [['', isKey(record.key) ? keyword : ''] as const],
  }));
  const items = ranked(keyword, found)
    .slice(0, most)
    .map(({ record: { id, name, key, username } }) => ({
      id: `token ${id}`,
      icon: KeyRound,
      title: name,
      note: [`#${id}`, isKey(key) && `…${key.slice(-4)}`, username].filter(Boolean).join(' · '),
      to: `${path}?${username === '' ? '' : 'scope=all&'}show=${id}`,
    }));
  return { group: { title: t('tokens'), items }, searching: own.isFetching || all.isFetching };
}

/** Orders are found by a whole number: the hub's, or the gateway's. */
const isOrderNumber = (typed: string): boolean => /^[\w-]{12,64}$/.test(typed) && /\d{4}/.test(typed);

function useOrders(keyword: string) {
  const { t } = useTranslation('palette');
  const { isAdmin } = useSession();
  const hasScreen = useHasScreen();
  const enabled = isOrderNumber(keyword);
  const all = useQuery({
    ...apiQuery(orderApi.list, { query: { keyword, size: most } }),
    enabled: enabled && isAdmin,
  });
  const own = useQuery({
    ...apiQuery(ownOrderApi.list, { query: { trade_no: keyword, size: most } }),
    enabled: enabled && !isAdmin && hasScreen('/panel/topup'),
  });
  const shared = { icon: ReceiptText };
  const items = !enabled
    ? []
    : isAdmin
      ? (all.data?.data ?? []).map(({ id, trade_no: number, username }) => ({
          ...shared,
          id: `order ${number}`,
          title: number,
          note: username,
          to: `/panel/payment?id=${id}`,
        }))
      : (own.data?.data ?? []).map(({ trade_no: number }) => ({
          ...shared,
          id: `order ${number}`,
          title: number,
          to: `/panel/topup?${new URLSearchParams({ order: number })}`,
        }));
  return { group: { title: t('orders'), items }, searching: all.isFetching || own.isFetching };
}

/** Calls are found by their whole request id, which callers quote. */
const isRequestId = (typed: string): boolean => /^\d{14,}[\w-]{6,}$/.test(typed);

function useCalls(keyword: string) {
  const { t } = useTranslation('palette');
  const { isAdmin } = useSession();
  const hasScreen = useHasScreen()('/panel/log');
  const enabled = isRequestId(keyword) && hasScreen;
  const { data, isFetching } = useQuery({
    ...apiQuery(isAdmin ? logApi.list : logApi.ownList, { query: { request_id: keyword, size: most } }),
    enabled,
  });
  const items = (enabled ? (data?.data ?? []) : []).map(({ id, request_id: title, model_name, username }) => ({
    id: `call ${id}`,
    icon: List,
    title,
    note: [model_name, isAdmin && username].filter(Boolean).join(' · '),
    to: `/panel/log?${new URLSearchParams({ request_id: title, id: String(id) })}`,
  }));
  return { group: { title: t('calls'), items }, searching: isFetching };
}

/** Tasks are found by their whole id, like orders. */
const isTaskId = (typed: string): boolean => /^[\w-]{8,100}$/.test(typed) && /\d/.test(typed);

function useTasks(keyword: string) {
  const { t } = useTranslation('palette');
  const { isAdmin } = useSession();
  const hasScreen = useHasScreen();
  const enabled = isTaskId(keyword) && hasScreen('/panel/task');
  const { data, isFetching } = useQuery({
    ...apiQuery(isAdmin ? taskApi.list : taskApi.ownList, { query: { task_id: keyword, size: most } }),
    enabled,
  });
  const items = (enabled ? (data?.data ?? []) : []).map(({ id, task_id: taskId, platform, model }) => ({
    id: `task ${id}`,
    icon: ListChecks,
    title: taskId,
    note: model,
    to: `${platform === 'midjourney' ? '/panel/midjourney' : '/panel/task'}?id=${id}`,
  }));
  return { group: { title: t('tasks'), items }, searching: isFetching };
}

/** Models lead administrators to the read view, others to the price list. */
function useModels(typed: string) {
  const { t } = useTranslation('palette');
  const { isAdmin } = useSession();
  const hasScreen = useHasScreen();
  const choice = (name: string) => {
    if (isAdmin) return { to: viewOf('/panel/pricing', name) };
    if (!hasScreen('/panel/model_price')) return { run: () => void copyText(name, name) };
    return { to: `/panel/model_price?${new URLSearchParams({ keyword: name })}` };
  };
  const { data, isFetching } = useQuery({ ...apiQuery(priceApi.available), staleTime: 60_000, enabled: typed !== '' });
  const owners = useOwners();
  const found = Object.entries(data ?? {})
    .filter(([name, { owned_by }]) => typed !== '' && matches(typed, name, owned_by))
    .map(([name, { owned_by: owner }]) => ({ record: { name, owner }, name, fields: [['', owner] as const] }));
  const items = ranked(typed, found)
    .slice(0, most)
    .map(({ record: { name, owner } }) => ({
      id: `model ${name}`,
      icon: Box,
      tile: <OwnerTile name={owner || name} icon={owners.find((each) => each.name === owner)?.icon} size={20} />,
      title: name,
      note: owner,
      ...choice(name),
    }));
  return { group: { title: t('models'), items }, searching: isFetching };
}
