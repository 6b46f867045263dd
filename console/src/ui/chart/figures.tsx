import { useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { Swatch } from './legend.tsx';

const cell = 'h-8 border-b border-line px-2.5 text-right whitespace-nowrap';
/** The first column is sticky, and the column of totals next to it. Its width is fixed so that the totals stay in place. */
const firstWidth = 'w-34 min-w-34';
const first = `sticky left-0 z-10 bg-card pl-0! text-left! ${firstWidth}`;
const total = 'sticky left-34 z-10 bg-card';

export interface FigureRow {
  id: string | number;
  name: string;
  /** Replaces the name, e.g. a link. */
  shown?: ReactNode;
  cells: readonly string[];
}

interface Props {
  label: string;
  /** Heading of the row names. */
  corner: string;
  columns: readonly { id: string; label: string; color?: string | undefined; strong?: boolean | undefined }[];
  rows: readonly FigureRow[];
  /** Sums and shares; the first row is bold. */
  feet: readonly FigureRow[];
  maxHeight: number;
}

/** A chart's numbers as a table. */
export function Figures({ label, corner, columns, rows, feet, maxHeight }: Props) {
  const strong = (index: number) => (columns[index]?.strong ? 'font-title' : '');
  // Only next to the row names: a column of totals elsewhere scrolls.
  const keeps = (index: number) => index === 0 && columns.length > 2 && columns[0]?.strong === true;
  const frame = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState(false);
  const look = useCallback(() => {
    const at = frame.current;
    if (at) setHidden(at.scrollLeft + at.clientWidth < at.scrollWidth - 1);
  }, []);
  useLayoutEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(look);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [look]);
  return (
    <div className="relative">
      <div
        ref={frame}
        role="group"
        aria-label={label}
        tabIndex={0}
        className="overflow-auto"
        style={{ maxHeight }}
        onScroll={look}
      >
        <table className="w-full border-separate border-spacing-0 text-12 tabular-nums">
          <thead>
            <tr className="*:sticky *:top-0 *:z-10 *:bg-card [&>:first-child]:left-0 [&>:first-child]:z-20">
              <th scope="col" className={`${cell} pl-0! text-left! font-normal text-text2 ${firstWidth}`}>
                {corner}
              </th>
              {columns.map((column, index) => (
                <th
                  key={column.id}
                  scope="col"
                  className={cx(
                    cell,
                    column.strong ? 'font-title' : 'font-normal text-text2',
                    keeps(index) && 'left-34 z-20!',
                  )}
                >
                  <span className="inline-flex max-w-40 items-center gap-2">
                    {column.color && <Swatch color={column.color} />}
                    <span className="truncate">{column.label}</span>
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row" className={`${cell} ${first} font-normal`}>
                  {row.shown ?? row.name}
                </th>
                {row.cells.map((text, index) => (
                  <td key={index} className={cx(cell, strong(index), keeps(index) && total)}>
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            {feet.map((row, at) => {
              const edge = at === feet.length - 1 ? 'border-b-0' : '';
              return (
                <tr key={row.id} className={at === 0 ? 'font-title' : 'text-text2'}>
                  <th scope="row" className={`${cell} ${edge} ${first} ${at === 0 ? 'font-title' : 'font-normal'}`}>
                    {row.name}
                  </th>
                  {row.cells.map((text, index) => (
                    <td key={index} className={cx(cell, edge, keeps(index) && total)}>
                      {text}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tfoot>
        </table>
      </div>
      {hidden && (
        <div
          aria-hidden
          data-more-columns
          className="pointer-events-none absolute inset-y-0 right-0 z-20 w-10 border-r border-line2 bg-linear-to-l from-card to-transparent"
        />
      )}
    </div>
  );
}
