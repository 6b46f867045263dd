import { useAllGroups } from '#api/all-groups.ts';

/** A group's name with its ratio: "VIP ×0.8"; its symbol until loaded. */
export function UserGroupName({ symbol }: { symbol: string }) {
  const group = useAllGroups().find((each) => each.symbol === symbol);
  if (!group) return <span className="text-text2">{symbol}</span>;
  return (
    <span className="flex min-w-0 gap-1.5 text-text2">
      <span className="truncate">{group.name}</span>
      <span className="flex-none tabular-nums">×{group.ratio}</span>
    </span>
  );
}
