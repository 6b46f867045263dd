import type { Token } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import type { TokenExample } from '#screens/panel/token/connect/example-dialog.tsx';
import { everyToken, tokenPage } from './token-api.ts';
import { BalanceNote } from './balance-note.tsx';
import { TokenCard } from './token-card.tsx';
import { useTokenColumns } from './token-columns.tsx';
import { tokenMenu } from './token-menu.ts';
import { UseMenu } from './use-menu.tsx';
import { useTokenActions } from './use-token-actions.ts';
import { useTokenToolbar } from './use-token-toolbar.tsx';

// Comes with the bar that it stands in.
const TokenBulk = lazy(async () => ({ default: (await import('./token-bulk.tsx')).TokenBulk }));
const TokenDrawer = lazy(async () => ({ default: (await import('./token-drawer.tsx')).TokenDrawer }));
const ExampleDialog = lazy(async () => ({
  default: (await import('#screens/panel/token/connect/example-dialog.tsx')).ExampleDialog,
}));
const RemoveTokens = lazy(async () => ({ default: (await import('./remove-tokens.tsx')).RemoveTokens }));

const route = getRouteApi('/panel/token');
const keyOf = ({ id }: Token) => id;
const nameOf = ({ name }: Token) => name;

export function TokenScreen() {
  const { t } = useTranslation('token');
  const { edit, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const page = useQuery(tokenPage(search));
  const actions = useTokenActions();
  const [example, setExample] = useState<TokenExample>();
  const [removing, setRemoving] = useState<Removal>();
  const showExample = useCallback((token: Token) => setExample({ token }), []);
  const openForm = (which: string) => void navigate({ search: { ...search, edit: which } });
  const menu = (token: Token) =>
    tokenMenu(t, token, {
      edit: () => openForm(String(token.id)),
      enable: () => actions.enable(token),
      disable: () => actions.disable(token),
      remove: () => setRemoving({ tokens: [token] }),
    });
  const create = (
    <Button variant="primary" icon={Plus} onClick={() => openForm('new')}>
      {t('create')}
    </Button>
  );
  const none = page.data?.total_count === 0 && search.keyword === '' && search.status === 0;
  return (
    <>
      <PageHeader title={t('title')} text={t('text')}>
        {!none && create}
      </PageHeader>
      <DataTable
        name="token"
        label={t('title')}
        columns={useTokenColumns()}
        page={page}
        search={search}
        onSearch={(change) => void navigate({ search: { ...search, ...change } })}
        keyOf={keyOf}
        nameOf={nameOf}
        toolbar={useTokenToolbar(search, (change) => void navigate({ search: { ...search, ...change, page: 1 } }))}
        empty={<EmptyState icon={KeyRound} title={t('emptyTitle')} text={t('emptyText')} action={create} />}
        onOpen={(token) => openForm(String(token.id))}
        rowActions={useMemo(() => (token: Token) => <UseMenu token={token} onExample={showExample} />, [showExample])}
        keepActions
        rowMenu={menu}
        actionsWidth={112}
        card={(token) => <TokenCard token={token} menu={menu} onExample={showExample} />}
        bulk={(selection) => (
          <TokenBulk
            selection={selection}
            actions={actions}
            onRemove={(tokens) => setRemoving({ tokens, onDone: selection.clear })}
          />
        )}
        allRows={() => everyToken(search)}
        note={<BalanceNote />}
      />
      <Suspense>
        {edit !== '' && <TokenDrawer key={edit} edit={edit} onCreated={setExample} onClose={() => openForm('')} />}
        {example && <ExampleDialog example={example} onClose={() => setExample(undefined)} />}
        {removing && <RemoveTokens {...removing} remove={actions.remove} onClose={() => setRemoving(undefined)} />}
      </Suspense>
    </>
  );
}

interface Removal {
  tokens: readonly Token[];
  onDone?: () => void;
}
