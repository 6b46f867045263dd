import type { AuditEntry } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Status } from '#ui/feedback/status.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { moreOf, useAuditTexts } from '#domain/audit/audit-texts.ts';

interface Props {
  row: AuditEntry;
}

/** Outcome: done, refused, or failed on the server's side. */
export function AuditResult({ row: { code, status } }: Props) {
  const { t } = useTranslation('audit');
  if (code === '') return <Status kind="done" text={t('done')} />;
  const failed = status >= 500;
  return (
    <Tooltip text={code}>
      <span>
        <Status kind={failed ? 'failed' : 'broken'} text={t(failed ? 'failed' : 'refused')} note={status} />
      </span>
    </Tooltip>
  );
}

export function AuditAction({ row }: Props) {
  const { actionOf } = useAuditTexts();
  const more = moreOf(row);
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <span className="flex-none">{actionOf(row)}</span>
      {more !== '' && <span className="min-w-0 truncate font-mono text-12 text-text2">{more}</span>}
    </span>
  );
}

export function AuditObject({ row }: Props) {
  const text = useAuditTexts().objectOf(row);
  return (
    <Tooltip text={text} repeatsName>
      <span className="block min-w-0 truncate">{text || '—'}</span>
    </Tooltip>
  );
}
