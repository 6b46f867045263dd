import type { ReactNode } from 'react';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

interface Props {
  title: string;
  facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** Settings or properties of a record, one per line. */
export function FactList({ title, facts }: Props) {
  return (
    <DetailSection title={title}>
      <dl className="grid grid-cols-1 gap-2.5 text-13">
        {facts.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-4">
            <dt className="flex-none text-text2">{name}</dt>
            <dd className="min-w-0 truncate text-right tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </DetailSection>
  );
}
