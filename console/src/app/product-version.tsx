import { consoleVersion, useSite } from '#api/site.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

/** The version that clients see; the product's own is in its tooltip. */
export function ProductVersion({ label, className }: { label?: string; className?: string }) {
  const product = useSite()?.product_version;
  return (
    <Tooltip text={product && `Relay Hub ${product}`}>
      <span tabIndex={product ? 0 : undefined} aria-label={label} className={className}>
        {consoleVersion}
      </span>
    </Tooltip>
  );
}
