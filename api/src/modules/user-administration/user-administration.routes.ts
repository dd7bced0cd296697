import { changeRole, createRole, deleteRole, listRoles } from '@cellhop/contract/staff/roles';
import {
  blockUsers,
  changeUserRole,
  changeUserStatus,
  countUserLists,
  deleteUser,
  exportUsers,
  getUser,
  listRelatedUsers,
  listUsers,
  resetSecondFactor,
} from '@cellhop/contract/staff/users';
import { deleteAccount } from '@cellhop/contract/users';
import type { FastifyInstance } from 'fastify';
import { route, routeStream } from '../../http/route.ts';
import * as deletion from './deletion.service.ts';
import * as roles from './roles.service.ts';
import * as administration from './user-administration.service.ts';
import { listRelated } from './related-users.service.ts';
import { countLists } from './user-counts.service.ts';
import * as directory from './user-directory.service.ts';

export function userAdministrationRoutes(app: FastifyInstance): void {
  route(app, listUsers, ({ ctx, query }) => directory.listUsers(ctx, query));
  routeStream(app, exportUsers, ({ ctx, query, ...by }) => directory.exportUsers(ctx, by, query));
  route(app, getUser, async ({ ctx, params }) => ({ data: await directory.getUser(ctx, params.id) }));
  route(app, listRelatedUsers, ({ ctx, params }) => listRelated(ctx, params.id));
  route(app, countUserLists, async ({ ctx, actor, params }) => ({ data: await countLists(ctx, actor, params.id) }));
  route(app, blockUsers, async ({ ctx, actor, body, requester }) => ({
    data: await administration.blockUsers(ctx, actor, body, requester),
  }));
  route(app, changeUserStatus, async ({ ctx, actor, params, body, requester }) => ({
    data: await administration.changeStatus(ctx, actor, params.id, body, requester),
  }));
  route(app, resetSecondFactor, async ({ ctx, actor, params, body, requester }) => ({
    data: await administration.resetSecondFactor(ctx, actor, params.id, body, requester),
  }));
  route(app, changeUserRole, async ({ ctx, actor, params, body, requester }) => ({
    data: await administration.changeRoleOfUser(ctx, actor, params.id, body, requester),
  }));
  route(app, deleteUser, async ({ ctx, actor, params, body, requester }) => ({
    data: await deletion.deleteUser(ctx, actor, params.id, body, requester),
  }));
  route(app, deleteAccount, async ({ ctx, actor, body, requester }) => {
    await deletion.deleteOwnAccount(ctx, actor, body, requester);
    return { data: { isDeleted: true as const } };
  });
  route(app, listRoles, async ({ ctx }) => ({ data: await roles.listRoles(ctx) }));
  route(app, createRole, async ({ ctx, actor, body, requester }) => ({
    data: await roles.createRole(ctx, actor, body, requester),
  }));
  route(app, changeRole, async ({ ctx, actor, params, body, requester }) => ({
    data: await roles.changeRole(ctx, actor, params.name, body, requester),
  }));
  route(app, deleteRole, async ({ ctx, actor, params, query, requester }) => {
    await roles.deleteRole(ctx, actor, { ...params, ...query }, requester);
    return { data: { name: params.name } };
  });
}
