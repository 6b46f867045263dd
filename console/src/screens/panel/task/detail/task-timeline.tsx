import { isFinalTask, type Task } from '@relay-hub/contract';
import { Ban, Check, Loader, Send, Undo2, X } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { TimelineItem } from '#domain/activity/timeline-item.tsx';
import type { IconShape } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

interface Step {
  id: 'submitted' | 'started' | 'ended' | 'refunded';
  icon: IconShape;
  tone: string;
  text: React.ReactNode;
  at: number;
}

/** What happened to the task, oldest first. */
export function TaskTimeline({ task }: { task: Task }) {
  const { t } = useTranslation(['taskDetail', 'task']);
  const { submit_time: submitted, start_time: started, finish_time: finished, status, quota, refunded } = task;
  const steps: Step[] = [
    { id: 'submitted', icon: Send, tone: 'text-text2', text: t('steps.submitted'), at: submitted },
  ];
  if (started > 0)
    steps.push({ id: 'started', icon: Loader, tone: 'text-text2', text: t('steps.started'), at: started });
  if (isFinalTask(status)) {
    const [icon, tone] =
      status === 'SUCCESS' ? [Check, 'text-ok'] : status === 'CANCEL' ? [Ban, 'text-text2'] : [X, 'text-bad'];
    steps.push({ id: 'ended', icon, tone, text: t(`task:statuses.${status}`), at: finished });
  }
  if (refunded)
    steps.push({
      id: 'refunded',
      icon: Undo2,
      tone: 'text-ok',
      text: <TextWithElements text={t('steps.returned')} parts={{ amount: <Money credits={quota} /> }} />,
      at: finished,
    });
  return (
    <DetailSection title={t('timeline')}>
      <ol>
        {steps.map(({ id, icon, tone, text, at }) => (
          <TimelineItem key={id} icon={icon} tone={tone}>
            <span className="flex gap-3">
              <span className="min-w-0 flex-1">{text}</span>
              <span className="flex-none text-12/5 text-text2 tabular-nums">
                <Time at={at} />
              </span>
            </span>
          </TimelineItem>
        ))}
      </ol>
    </DetailSection>
  );
}
