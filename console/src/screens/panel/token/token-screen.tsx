import type { Token } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Cable, KeyRound, Pencil, Plus, RefreshCw } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { useSession } from '#api/session.ts';
import { NoBalance } from '#domain/quota/no-balance.tsx';
import { isFiltered } from '#list/list-filters.ts';
import { beside, rowId, stepping, useRecordScreen } from '#list/use-list-screen.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { TokenExample } from '#screens/panel/token/connect/example-dialog.tsx';
import { useSelf } from '#api/self.ts';
import { Money } from '#ui/format/money.tsx';
import { ScopeSwitch } from './all/scope-switch.tsx';
import { allTokens, tokenById, tokenPage } from './token-api.ts';
import { useTokenColumns } from './token-columns.tsx';
import { TokenUseMenu } from './token-use-menu.tsx';
import { useTokenActions } from './use-token-actions.ts';
import { noTokenFilters, useTokenToolbar } from './use-token-toolbar.tsx';
import { hasOldKey } from './token-state.ts';

const TokenDrawer = lazy(async () => ({ default: (await import('./token-drawer.tsx')).TokenDrawer }));
const ExampleDialog = lazy(async () => ({
  default: (await import('#screens/panel/token/connect/example-dialog.tsx')).ExampleDialog,
}));
const ConnectDialog = lazy(async () => ({
  default: (await import('#screens/panel/token/connect/connect-dialog.tsx')).ConnectDialog,
}));
const RotateDialog = lazy(async () => ({ default: (await import('./keys/rotate-dialog.tsx')).RotateDialog }));
const RevokeOldKey = lazy(async () => ({ default: (await import('./keys/revoke-old-key.tsx')).RevokeOldKey }));
const OwnTokenView = lazy(async () => ({ default: (await import('./view/token-view.tsx')).OwnTokenView }));
const AllTokens = lazy(async () => {
  const [{ AllTokens: screen }] = await Promise.all([import('./all/all-tokens.tsx'), loadTexts('tokenAdmin')]);
  return { default: screen };
});
const RemoveTokens = lazy(async () => ({ default: (await import('./remove-tokens.tsx')).RemoveTokens }));

const route = getRouteApi('/panel/token');
const nameOf = ({ name }: Token) => name;

export function TokenScreen() {
  const { isAdmin } = useSession();
  const { scope } = route.useSearch();
  if (scope !== 'all' || !isAdmin) return <OwnTokens />;
  return (
    <Suspense>
      <AllTokens />
    </Suspense>
  );
}

function OwnTokens() {
  const { t } = useTranslation('token');
  const {
    edit,
    query,
    activeKey,
    go,
    find,
    open,
    create: openNew,
    closeForm,
  } = useRecordScreen(route.useSearch(), route.useNavigate());
  const { show, connect, token: connected, scope: _scope, user_id: _owner, ...search } = query;
  const page = useQuery(tokenPage(search));
  const [example, setExample] = useState<TokenExample>();
  const [removing, setRemoving] = useState<Removal>();
  const actions = useTokenActions((tokens, onDone) => setRemoving({ tokens, onDone }));
  const [rotating, setRotating] = useState<Token>();
  const [revoking, setRevoking] = useState<Token>();
  const fromForm = (start: (token: Token) => void) => (token: Token) => {
    start(token);
    closeForm();
  };
  const showExample = useCallback((token: Token) => setExample({ token }), [setExample]);
  const menu = (token: Token) => {
    const [first, ...others] = actions.menu(token);
    return [
      { label: t('edit'), icon: Pencil, onSelect: () => open(token) },
      first,
      { label: t('rotateMenu'), icon: RefreshCw, saves: true, onSelect: () => setRotating(token) },
      hasOldKey(token, Date.now() / 1000) && {
        label: t('revokeMenu'),
        icon: KeyRound,
        saves: true,
        onSelect: () => setRevoking(token),
      },
      ...others,
    ];
  };
  const create = (
    <Button variant="primary" icon={Plus} onClick={openNew}>
      {t('create')}
    </Button>
  );
  const none = page.data?.total_count === 0 && !isFiltered(noTokenFilters, search);
  const phone = useIsPhone();
  const tool = { icon: Cable, onClick: () => go({ connect: 'any' }) };
  const actionsOfList = !none && (
    <span className="flex flex-none gap-2">
      {phone ? (
        <IconButton label={t('connect')} variant="default" {...tool} />
      ) : (
        <Button {...tool}>{t('connect')}</Button>
      )}
      {create}
    </span>
  );
  const toolbar = useToolbarWith(useTokenToolbar(search, find), actionsOfList);
  return (
    <>
      <ListHeader
        title={t('title')}
        text={t('text')}
        actions={
          <>
            <ScopeSwitch />
            {actionsOfList}
          </>
        }
      />
      <NoBalance />
      <DataTable
        name="token"
        label={t('title')}
        columns={useTokenColumns()}
        page={page}
        search={search}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={phone ? { ...toolbar, children: <ScopeSwitch /> } : toolbar}
        empty={<EmptyState icon={KeyRound} title={t('emptyTitle')} text={t('emptyText')} action={create} />}
        onOpen={({ id }) => go({ show: id }, beside)}
        activeKey={activeKey ?? (show || undefined)}
        rowActions={useMemo(
          () => (token: Token) => <TokenUseMenu token={token} onExample={showExample} />,
          [showExample],
        )}
        keepActions
        rowMenu={menu}
        actionsWidth={112}
        bulk={actions.bulk}
        allRows={() => allTokens(search)}
        note={<BalanceNote />}
      />
      <Suspense>
        {show > 0 && edit === '' && (
          <OwnTokenView
            id={show}
            rows={page.data?.data ?? []}
            query={tokenById(show)}
            onGo={(id) => go({ show: id }, stepping)}
            onEdit={open}
            onClose={() => go({ show: 0 }, stepping)}
          />
        )}
        {edit !== '' && (
          <TokenDrawer
            key={edit}
            edit={edit}
            onCreated={setExample}
            onRotate={fromForm(setRotating)}
            onRevoke={fromForm(setRevoking)}
            onClose={closeForm}
          />
        )}
        {example && <ExampleDialog example={example} onClose={() => setExample(undefined)} />}
        {connect !== '' && (
          <ConnectDialog
            toolId={connect}
            tokenId={connected}
            onTool={(id) => go({ connect: id }, { replace: true, resetScroll: false })}
            onToken={(id) => go({ token: id }, { replace: true, resetScroll: false })}
            onCreate={() => go({ connect: '', token: 0, edit: 'new' })}
            onClose={() => go({ connect: '', token: 0 }, { resetScroll: false })}
          />
        )}
        {rotating && <RotateDialog token={rotating} onRotated={setExample} onClose={() => setRotating(undefined)} />}
        {revoking && <RevokeOldKey token={revoking} onClose={() => setRevoking(undefined)} />}
        {removing && (
          <RemoveTokens
            {...removing}
            remove={(tokens) => actions.run('remove', ...tokens)}
            onClose={() => setRemoving(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}

interface Removal {
  tokens: readonly Token[];
  onDone: (() => void) | undefined;
}

/** Explains that a token's quota is a limit and that calls are paid from the balance. */
function BalanceNote() {
  const { t } = useTranslation('token');
  const { data: self } = useSelf();
  const [before, after] = t('balanceNote').split('{balance}');
  return (
    self && (
      <>
        {before}
        <Money credits={self.quota} />
        {after}
      </>
    )
  );
}
