import { cx } from '#ui/basic/cx.ts';

const heights = ['h-[58%]', 'h-[76%]', 'h-[66%]', 'h-[50%]', 'h-[84%]', 'h-[62%]', 'h-[40%]'];

/** Placeholder of a chart of the default height with a full legend. */
export function ChartSkeleton() {
  return (
    <div aria-hidden className="mb-12.5 flex h-55 items-end justify-around gap-2 pb-7 pl-8 max-sm:mb-23.5">
      {heights.map((height) => (
        <span key={height} className={cx('w-10 max-w-[10%] rounded-t-[4px] bg-fill', height)} />
      ))}
    </div>
  );
}
