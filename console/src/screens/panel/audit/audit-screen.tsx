import type { AuditEntry } from '@relay-hub/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { withCursors } from '#list/cursor-paging.ts';
import { rowId, useListScreen } from '#list/use-list-screen.ts';
import { ExportLink } from '#list/export-link.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { auditPage, countAudit, downloadAddress } from './audit-api.ts';
import { type AuditFilters, type AuditSearch, noAuditFilters, noCursors } from './audit-defaults.ts';
import { knownKinds, useAuditTexts } from '#domain/audit/audit-texts.ts';
import { useAuditColumns } from './use-audit-columns.tsx';

const AuditDetail = lazy(async () => ({ default: (await import('./audit-detail.tsx')).AuditDetail }));

const route = getRouteApi('/panel/audit');
const noRows: AuditEntry[] = [];

export function AuditScreen() {
  const { t } = useTranslation('audit');
  const { search: address, go } = useListScreen(route.useSearch(), route.useNavigate());
  const { id, ...search } = address;
  const { actionOf } = useAuditTexts();
  const page = useQuery({ ...auditPage({ ...search, id: 0 }), placeholderData: keepPreviousData });
  const rows = page.data?.data ?? noRows;
  const shown = page.isPlaceholderData ? undefined : page.data;
  const show = (next: number, replace: boolean) => go({ id: next }, { replace, resetScroll: false });
  const step = (change: Partial<AuditSearch>) =>
    go(withCursors(noCursors, address, change, shown), { resetScroll: change.id === undefined });
  const download = <ExportLink label={t('download')} href={downloadAddress(search)} />;
  const toolbar = useToolbarWith(
    useAuditToolbar(search, (filters) => step({ ...filters, page: 1 })),
    download,
  );
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={download} />
      <DataTable
        name="audit"
        label={t('title')}
        density="compact"
        columns={useAuditColumns()}
        page={page}
        search={search}
        onSearch={step}
        keyOf={rowId}
        nameOf={(row) => t('rowName', { time: formatDateTime(row.created_time), what: actionOf(row) })}
        toolbar={toolbar}
        empty={<EmptyState icon={ScrollText} title={t('empty')} text={t('emptyText')} />}
        onOpen={(row) => show(row.id, id > 0)}
        activeKey={id > 0 ? id : undefined}
      />
      {id > 0 && (
        <Suspense>
          <AuditDetail
            id={id}
            rows={rows}
            onGo={(next) => show(next, true)}
            onHistory={({ kind, object_id }) => step({ ...noAuditFilters, kind, object_id, page: 1, id: 0 })}
          />
        </Suspense>
      )}
    </>
  );
}

function useAuditToolbar(search: AuditFilters, onChange: (filters: AuditFilters) => void): ToolbarProps {
  const { t } = useTranslation('audit');
  const filters = useMemo((): FilterDef[] => {
    const kinds = knownKinds.map((kind) => ({ value: kind, label: t(`kinds.${kind}`) }));
    const results = [
      { value: 1, label: t('resultDone') },
      { value: 2, label: t('resultRefused') },
    ];
    return [
      { kind: 'range', id: 'time', label: t('time'), pinned: true },
      { kind: 'text', id: 'actor', label: t('actor'), pinned: true },
      { kind: 'options', id: 'kind', label: t('kind'), options: kinds, pinned: true },
      { kind: 'options', id: 'result', label: t('result'), options: results, pinned: true },
      { kind: 'text', id: 'object_id', label: t('objectId') },
      { kind: 'text', id: 'account_id', label: t('teamId') },
    ];
  }, [t]);
  return filterToolbar({
    none: noAuditFilters,
    search,
    field: 'keyword',
    placeholder: t('find'),
    filters,
    onChange,
    count: countAudit,
  });
}
