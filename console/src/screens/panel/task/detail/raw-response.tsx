import type { Task } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { CodeBlock } from '#ui/basic/code-block.tsx';

/** The platform's own record of a task as JSON. */
export function RawResponse({ task }: { task: Task }) {
  const { t } = useTranslation('taskDetail');
  const { task_id, platform, action, status, progress, submit_time, start_time, finish_time, fail_reason } = task;
  const record = { task_id, platform, action, status, progress, submit_time, start_time, finish_time };
  const { properties, data } = task;
  const code = JSON.stringify({ ...record, ...(fail_reason !== '' && { fail_reason }), properties, data }, null, 2);
  return <CodeBlock code={code} label={t('raw')} />;
}
