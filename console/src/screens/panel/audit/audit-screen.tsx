import type { AuditEntry } from '@relay-hub/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, ScrollText } from 'lucide-react';
import { lazy, Suspense, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { auditPage, downloadAddress } from './audit-api.ts';
import { AuditCard } from './audit-card.tsx';
import { noAuditFilters, type AuditSearch } from './audit-defaults.ts';
import { stepOf } from './audit-search.ts';
import { useAuditWords } from './audit-words.ts';
import { useAuditColumns } from './use-audit-columns.tsx';
import { useAuditToolbar } from './use-audit-toolbar.ts';

const AuditDetail = lazy(async () => ({ default: (await import('./audit-detail.tsx')).AuditDetail }));

const route = getRouteApi('/panel/audit');
const keyOf = ({ id }: AuditEntry) => id;
const noRows: AuditEntry[] = [];

export function AuditScreen() {
  const { t } = useTranslation('audit');
  const phone = useIsPhone();
  const { id, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const { actionOf } = useAuditWords();
  const page = useQuery({ ...auditPage({ ...search, id: 0 }), placeholderData: keepPreviousData });
  const rows = page.data?.data ?? noRows;
  const seen = page.isPlaceholderData ? undefined : page.data;
  const go = (change: Partial<AuditSearch>, replace = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace, resetScroll: change.id === undefined });
  const step = (change: Partial<AuditSearch>) => go(stepOf({ ...search, id }, change, seen));
  const card = useCallback((row: AuditEntry) => <AuditCard row={row} />, []);
  return (
    <>
      <PageHeader title={t('title')} text={phone ? undefined : t('text')}>
        <Button icon={Download} render={<a href={downloadAddress(search)} download />}>
          {t('download')}
        </Button>
      </PageHeader>
      <DataTable
        name="audit"
        label={t('title')}
        density="compact"
        columns={useAuditColumns()}
        page={page}
        search={search}
        onSearch={step}
        keyOf={keyOf}
        nameOf={(row) => t('rowName', { time: formatDateTime(row.created_time), what: actionOf(row) })}
        toolbar={useAuditToolbar(search, (filters) => step({ ...filters, page: 1 }))}
        empty={<EmptyState icon={ScrollText} title={t('empty')} text={t('emptyText')} />}
        onOpen={(row) => go({ id: row.id }, id > 0)}
        activeKey={id > 0 ? id : undefined}
        card={card}
      />
      {id > 0 && (
        <Suspense>
          <AuditDetail
            id={id}
            rows={rows}
            onGo={(next) => go({ id: next }, true)}
            onHistory={({ kind, object_id }) => step({ ...noAuditFilters, kind, object_id, page: 1, id: 0 })}
          />
        </Suspense>
      )}
    </>
  );
}
