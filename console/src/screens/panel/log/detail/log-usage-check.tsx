import type { Log } from '@relay-hub/contract';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useFindingText } from '#domain/refusal/use-finding-text.ts';

const looks = { implausible: [TriangleAlert, 'text-warn'], unusual: [CircleAlert, 'text-text2'] } as const;

/** Mark in a row: the reported usage is implausible; the tooltip says why. */
export function UsageMark({ row }: { row: Log }) {
  const { t } = useTranslation('usageCheck');
  const findingText = useFindingText();
  const { usage_mark: mark, usage_findings: findings = [] } = row.metadata ?? {};
  if (!mark) return null;
  const [icon, tone] = looks[mark];
  return (
    <Tooltip text={findings.map(findingText).join(' ')}>
      <span className={cx('inline-flex max-w-full items-center gap-1 leading-5', tone)}>
        <Icon of={icon} size={14} />
        <span className="truncate">{t(`short_${mark}`)}</span>
      </span>
    </Tooltip>
  );
}

/** In the detail: usage as reported, as plausible, and as charged. */
export function UsageFindings({ row }: { row: Log }) {
  const { t } = useTranslation('usageCheck');
  const findingText = useFindingText();
  const { usage_mark: mark, usage_findings: findings = [] } = row.metadata ?? {};
  if (!mark) return null;
  return (
    <Note tone={mark === 'implausible' ? 'warn' : 'info'}>
      <p className="font-medium">{t(`mark_${mark}`)}</p>
      {findings.map((finding) => (
        <p key={`${finding.counter} ${finding.bound}`}>{findingText(finding)}</p>
      ))}
    </Note>
  );
}
