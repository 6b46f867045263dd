import type { UsageGroup, UsageGrouping } from '@relay-hub/contract';
import { lazy, Suspense } from 'react';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';

// Marks are decoration, so they are not part of the first load.
const GroupMark = lazy(async () => ({ default: (await import('./group-mark.tsx')).GroupMark }));

interface Props {
  by: UsageGrouping;
  group: Pick<UsageGroup, 'id'>;
  name: string;
}

/** Name of a group after its mark, if groups of this kind have marks. */
export function MarkedName({ by, group, name }: Props) {
  if (by !== 'model' && by !== 'owner' && by !== 'channel') return <MiddleCut text={name} />;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="size-5 flex-none">
        <Suspense>
          <GroupMark by={by} group={group} name={name} />
        </Suspense>
      </span>
      <MiddleCut text={name} />
    </span>
  );
}
