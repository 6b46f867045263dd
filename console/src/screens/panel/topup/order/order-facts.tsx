import type { ReactNode } from 'react';

/** Facts of an order, one per line. */
export function OrderFacts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2.5 text-13 tabular-nums">{children}</dl>;
}

export function OrderFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-text2">{name}</dt>
      <dd className="text-right break-words">{children}</dd>
    </>
  );
}

export const OrderNumber = ({ of }: { of: string }) => <span className="font-mono text-12 break-all">{of}</span>;
