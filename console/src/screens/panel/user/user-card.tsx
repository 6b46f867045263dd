import type { User } from '@relay-hub/contract';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { RowActions } from '#ui/table/table-row.tsx';
import { UserLastCall, UserMoney, UserName, UserRole, UserStatus } from './user-cells.tsx';

interface Props {
  user: User;
  menu: (user: User) => MenuEntries;
}

const nameOf = ({ username }: User) => username;

export function UserCard({ user, menu }: Props) {
  return (
    <>
      <div className="-mt-1 flex items-center gap-2">
        <span className="min-w-0 flex-1">
          <UserName user={user} />
        </span>
        <UserMoney user={user} className="flex-none" />
        <span className="-mr-2">
          <RowActions row={user} nameOf={nameOf} menu={menu} />
        </span>
      </div>
      <div className="mt-1.5 -mb-0.5 flex items-center gap-3 text-13">
        <UserStatus user={user} />
        <UserRole user={user} />
        <span className="ml-auto truncate text-text2">
          <UserLastCall user={user} />
        </span>
      </div>
    </>
  );
}
