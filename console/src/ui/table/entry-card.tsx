import type { ReactNode } from 'react';

/** The card of a sign-in page: title above, alternatives below. */
export function EntryCard({ title, below, children }: { title: string; below?: ReactNode; children: ReactNode }) {
  return (
    <div className="m-auto w-100 max-w-full pt-7 pb-12 max-sm:mt-0">
      <h1 className="mb-5 text-center text-24">{title}</h1>
      <section className="rounded-card border border-line bg-card px-8 pt-6 pb-8 text-14 max-sm:px-5 max-sm:pb-6 [&_input.box]:h-10 max-sm:[&_input.box]:h-11">
        {children}
      </section>
      {below && <div className="mt-5 text-center text-14 text-text2">{below}</div>}
    </div>
  );
}
