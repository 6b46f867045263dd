import { useId, type ReactNode } from 'react';

interface Props {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

/** A titled part of a detail, without the hairlines of `DrawerSection`. */
export function DetailSection({ title, aside, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-5">
      <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h3 id={id} className="text-14 max-sm:text-15">
          {title}
        </h3>
        {aside && <span className="ml-auto text-12 text-text3 tabular-nums">{aside}</span>}
      </div>
      {children}
    </section>
  );
}
