import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { countAudit } from './audit-api.ts';
import { noAuditFilters, type AuditFilters } from './audit-defaults.ts';
import { knownKinds } from './audit-texts.ts';

export function useAuditToolbar(search: AuditFilters, onChange: (filters: AuditFilters) => void): ToolbarProps {
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
