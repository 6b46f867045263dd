import { Swatch } from './legend.tsx';

const cell = 'h-8 border-b border-line px-2.5 text-right whitespace-nowrap';
/** The first column is sticky. */
const first = 'sticky left-0 bg-card pl-0! text-left!';

export interface FigureRow {
  id: string | number;
  name: string;
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
  return (
    <div role="group" aria-label={label} tabIndex={0} className="overflow-auto" style={{ maxHeight }}>
      <table className="w-full border-separate border-spacing-0 text-12 tabular-nums">
        <thead>
          <tr className="*:sticky *:top-0 *:z-10 *:bg-card [&>:first-child]:left-0 [&>:first-child]:z-20">
            <th scope="col" className={`${cell} pl-0! text-left! font-normal text-text2`}>
              {corner}
            </th>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={`${cell} ${column.strong ? 'font-title' : 'font-normal text-text2'}`}
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
                {row.name}
              </th>
              {row.cells.map((text, index) => (
                <td key={index} className={`${cell} ${strong(index)}`}>
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
                  <td key={index} className={`${cell} ${edge}`}>
                    {text}
                  </td>
                ))}
              </tr>
            );
          })}
        </tfoot>
      </table>
    </div>
  );
}
