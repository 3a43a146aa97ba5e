/** A merchant's integrations, and a partner's requests to them. */
import assert from "node:assert/strict";
import { processDue } from "../../src/integrations/process.ts";
import { createRecord } from "./merchant.ts";
import type { CallOptions, Json, Response, Service } from "./service.ts";

/** The largest body (contract: Rate limits). */
export const MIB = 1_048_576;

export interface Integration {
  readonly id: string;
  /** The path of its postback URL. */
  readonly path: string;
  readonly record: Json;
  post(body: unknown, options?: CallOptions): Promise<Response>;
  /** Posts and expects acceptance. @returns the activity's id. */
  accepted(body: unknown, options?: CallOptions): Promise<string>;
  activities(query?: string): Promise<readonly Json[]>;
  activity(id: string): Promise<Json>;
  change(fields: Record<string, unknown>): Promise<Response>;
  /** Rotates the token. @returns the new path. */
  rotate(): Promise<string>;
}

export async function createIntegration(
  service: Service,
  key: string,
  fields: Record<string, unknown> = {},
): Promise<Integration> {
  const record = await createRecord(service, key, "integrations", { name: "Partner", ...fields });
  const id: string = record["id"];
  const path = pathOf(record);
  const management = `management/integrations/${id}/`;
  const post = (body: unknown, options?: CallOptions) => service.post(path, body, options);
  return {
    id,
    path,
    record,
    post,
    async accepted(body, options) {
      const response = await post(body, options);
      assert.deepEqual([response.status, response.body["status"]], [200, "accepted"], response.text);
      return response.body["activity_id"];
    },
    async activities(query = "") {
      const response = await service.get(`${management}activities/${query}`, { key });
      assert.equal(response.status, 200, response.text);
      return response.body["results"];
    },
    async activity(activityId) {
      const response = await service.get(`${management}activities/${activityId}/`, { key });
      assert.equal(response.status, 200, response.text);
      return response.body;
    },
    change: (changes) => service.call("PATCH", management, changes, { key }),
    async rotate() {
      const response = await service.post(`${management}rotate-token/`, undefined, { key });
      assert.equal(response.status, 200, response.text);
      return pathOf(response.body);
    },
  };
}

export function pathOf(record: Json): string {
  return new URL(record["postback_url"]).pathname;
}

/** Processes activities until none is due. */
export async function processAll({ app }: Service): Promise<void> {
  while ((await processDue(app.deps, 16, () => {})) > 0);
}
