import type { User } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Users, Wallet } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { useUserColumns } from './use-user-columns.tsx';
import { useUserMenu } from './use-user-menu.tsx';
import { useUserToolbar } from './use-user-toolbar.tsx';
import { everyUser, userPage, type UserSearch } from './user-api.ts';
import { UserBulk } from './user-bulk.tsx';
import { UserCard } from './user-card.tsx';
import { outranks } from '#domain/quota/outranks.ts';
import type { Question } from './user-question.tsx';

const loadDrawer = () => import('./user-drawer.tsx');
const UserDrawer = lazy(async () => ({ default: (await loadDrawer()).UserDrawer }));
const UserBalance = lazy(async () => {
  const [{ UserBalance: drawer }] = await Promise.all([import('./user-balance.tsx'), loadTexts('quota')]);
  return { default: drawer };
});
const UserQuestion = lazy(async () => ({ default: (await import('./user-question.tsx')).UserQuestion }));

const route = getRouteApi('/panel/user');
const keyOf = ({ id }: User) => id;
const nameOf = ({ username }: User) => username;

export function UserScreen() {
  const { t } = useTranslation('user');
  const { edit, adjust, ...query } = route.useSearch();
  const { user: me } = useSession();
  const page = useQuery(userPage(query));
  const phone = useIsPhone();
  const [question, setQuestion] = useState<Question>();
  const go = useGo();
  const toolbar = useUserToolbar({
    query,
    total: page.data?.total_quota,
    onSearch: (change) => go({ ...change, page: 1 }),
  });
  const menu = useUserMenu({
    onEdit: ({ id }) => go({ edit: String(id) }),
    onAdjust: ({ id }) => go({ adjust: id }),
    onAsk: setQuestion,
  });
  const add = (
    <Button
      variant="primary"
      icon={Plus}
      onPointerEnter={() => void loadDrawer()}
      onFocus={() => void loadDrawer()}
      onClick={() => go({ edit: 'new' })}
    >
      {t('add')}
    </Button>
  );
  return (
    <>
      {phone ? (
        <PageHeader title={t('title')} />
      ) : (
        <PageHeader title={t('title')} text={t('text')}>
          {add}
        </PageHeader>
      )}
      <DataTable
        name="user"
        label={t('title')}
        columns={useUserColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={keyOf}
        nameOf={nameOf}
        // On a phone the list comes first: its toolbar has room for what the header holds elsewhere.
        toolbar={phone ? { ...toolbar, aside: add } : toolbar}
        empty={<EmptyState icon={Users} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={(user) => outranks(me, user) && go({ edit: String(user.id) })}
        activeKey={Number(edit) || adjust || undefined}
        rowActions={useRowActions(go)}
        rowMenu={menu}
        actionsWidth={88}
        card={(user) => <UserCard user={user} menu={menu} />}
        bulk={(selection) => <UserBulk selection={selection} onAsk={setQuestion} />}
        allRows={() => everyUser(query)}
      />
      <Suspense>
        {edit !== '' && <UserDrawer key={edit} edit={edit} onClose={() => go({ edit: '' })} />}
        {adjust > 0 && <UserBalance key={adjust} id={adjust} onClose={() => go({ adjust: 0 })} />}
        {question && <UserQuestion question={question} onClose={() => setQuestion(undefined)} />}
      </Suspense>
    </>
  );
}

function useGo(): (change: Partial<UserSearch>) => void {
  const navigate = route.useNavigate();
  return useCallback((change) => void navigate({ search: (now) => ({ ...now, ...change }) }), [navigate]);
}

/** What is done most often to an account. */
function useRowActions(go: (change: Partial<UserSearch>) => void) {
  const { t } = useTranslation('user');
  const { user: me } = useSession();
  return useCallback(
    (user: User) =>
      outranks(me, user) && (
        <IconButton label={t('adjust')} icon={Wallet} size="sm" onClick={() => go({ adjust: user.id })} />
      ),
    [t, me, go],
  );
}
