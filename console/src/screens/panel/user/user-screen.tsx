import type { User } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { UserPlus, Users, Wallet } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { beside, rowId, stepping, useRecordScreen } from '#list/use-list-screen.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { useUserColumns } from './use-user-columns.tsx';
import { useUserMenu } from './use-user-menu.tsx';
import { useUserToolbar } from './use-user-toolbar.tsx';
import { allUsers, userPage, type UserSearch } from './user-api.ts';
import { UserBulk } from './user-bulk.tsx';
import { UserCard } from './user-card.tsx';
import { outranks } from '#domain/quota/outranks.ts';
import type { UserConfirmation } from './user-confirm.tsx';

const loadDrawer = () => import('./user-drawer.tsx');
const UserDrawer = lazy(async () => ({ default: (await loadDrawer()).UserDrawer }));
const UserView = lazy(async () => ({ default: (await import('./view/user-view.tsx')).UserView }));
const UserBalance = lazy(async () => {
  const [{ UserBalance: drawer }] = await Promise.all([import('./user-balance.tsx'), loadTexts('quota')]);
  return { default: drawer };
});
const UserConfirm = lazy(async () => ({ default: (await import('./user-confirm.tsx')).UserConfirm }));

const route = getRouteApi('/panel/user');
const nameOf = ({ username }: User) => username;

export function UserScreen() {
  const { t } = useTranslation('user');
  const { edit, activeKey, go, find, open, create, closeForm, ...list } = useRecordScreen(
    route.useSearch(),
    route.useNavigate(),
  );
  const { show, adjust, ...query } = list.query;
  const { user: me } = useSession();
  const page = useQuery(userPage(query));
  const [question, setQuestion] = useState<UserConfirmation>();
  const menu = useUserMenu({ onEdit: open, onAdjust: ({ id }) => go({ adjust: id }), onAsk: setQuestion });
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const toInviters = { icon: UserPlus, render: <Link to="/panel/user/inviters" /> };
  const actions = (
    <span className="flex flex-none gap-2">
      {useIsPhone() ? (
        <IconButton {...toInviters} label={t('inviters')} variant="default" />
      ) : (
        <Button {...toInviters}>{t('inviters')}</Button>
      )}
      {add}
    </span>
  );
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={actions} />
      <DataTable
        name="user"
        label={t('title')}
        columns={useUserColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(useUserToolbar(query, page.data?.total_quota, find), actions)}
        empty={<EmptyState icon={Users} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={(user) =>
          user.deleted_time === 0 && (user.id === me?.id || outranks(me, user)) && go({ show: user.id }, beside)
        }
        activeKey={activeKey ?? (adjust || show || undefined)}
        rowActions={useRowActions(go)}
        rowMenu={menu}
        actionsWidth={88}
        card={(user) => <UserCard user={user} menu={menu} />}
        bulk={(selection) => <UserBulk selection={selection} onAsk={setQuestion} />}
        allRows={() => allUsers(query)}
      />
      <Suspense>
        {show > 0 && edit === '' && adjust === 0 && (
          <UserView
            id={show}
            query={query}
            onGo={(id) => go({ show: id }, stepping)}
            onEdit={open}
            onAdjust={({ id }) => go({ adjust: id })}
            onClose={() => go({ show: 0 }, stepping)}
          />
        )}
        {edit !== '' && <UserDrawer key={edit} edit={edit} onClose={closeForm} />}
        {adjust > 0 && <UserBalance key={adjust} id={adjust} onClose={() => go({ adjust: 0 })} />}
        {question && <UserConfirm question={question} onClose={() => setQuestion(undefined)} />}
      </Suspense>
    </>
  );
}

/** The most frequent action on an account. */
function useRowActions(go: (change: Partial<UserSearch>) => void) {
  const { t } = useTranslation('user');
  const { user: me } = useSession();
  return useCallback(
    (user: User) =>
      outranks(me, user) &&
      user.deleted_time === 0 && (
        <IconButton label={t('adjust')} icon={Wallet} size="sm" onClick={() => go({ adjust: user.id })} />
      ),
    [t, me, go],
  );
}
