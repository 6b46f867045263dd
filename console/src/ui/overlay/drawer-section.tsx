import { ChevronDown } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Icon } from '#ui/basic/icon.tsx';

interface Props {
  title: string;
  /** One line that says what the section is for. */
  text?: ReactNode;
  /** Starts folded; for settings that few people change. */
  folded?: boolean | undefined;
  /** At the right of the heading. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A section of a form or a detail; sections are separated by hairlines. */
export function DrawerSection({ title, text, folded, aside, children }: Props) {
  const id = useId();
  const heading = (
    <>
      <h3 id={id} className="text-14">
        {title}
      </h3>
      {text && <span className="text-13 text-text2">{text}</span>}
    </>
  );
  if (folded)
    return (
      <details className="group border-t border-line py-5 first:border-t-0">
        <summary className="flex list-none items-center gap-x-2.5 rounded-tile [&::-webkit-details-marker]:hidden">
          <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5">{heading}</div>
          <Icon of={ChevronDown} className="flex-none transition-transform group-open:rotate-180" />
        </summary>
        <div className="mt-3 grid grid-cols-1 gap-4">{children}</div>
      </details>
    );
  return (
    <section aria-labelledby={id} className="border-t border-line py-5 first:border-t-0">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-2.5 gap-y-1.5">
        {heading}
        {aside && (
          <span data-aside className="ml-auto">
            {aside}
          </span>
        )}
      </div>
      <div className="grid grid-cols-1 gap-4">{children}</div>
    </section>
  );
}

/** Fields side by side; one below another on phones. */
export function FieldRow({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-flow-col auto-cols-fr items-start gap-4 max-sm:grid-flow-row max-sm:grid-cols-1">
      {children}
    </div>
  );
}
