/** Campaigns: the parts of a sale, and how to resume a campaign that has stopped collecting. */
import type { Deps } from "../../deps.ts";
import type { CampaignRow } from "../../db/rows.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import { gatewayKind } from "../../gateways/records/gateway-record.ts";
import { hostedPageKind } from "../../payment-page/settings.ts";
import { campaignKind } from "../../sessions/campaigns/campaign.ts";
import { resumeCampaign } from "../../sessions/campaigns/resume.ts";
import { offerKind } from "../../sessions/offers/offer.ts";
import { webhookProfileKind } from "../../webhooks/profiles/profile.ts";
import { seeOther } from "../answer.ts";
import { csrfField } from "../csrf.ts";
import { dialog, panel } from "../design/blocks.ts";
import { formActs } from "../design/fields.ts";
import { addressWith } from "../design/filters.ts";
import { activeBadge, badge } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { CHARGEBACKS_PATH } from "../pages/chargebacks.ts";
import { AnyForm, AnyIdInPath, response } from "../pages/listed.ts";
import { SUBSCRIPTIONS_PATH } from "../pages/subscriptions.ts";
import { choose } from "../records/choose.ts";
import { personTarget, recordSection, type RecordCall } from "../records/routes.ts";
import type { Words } from "../words.ts";
import { CAMPAIGNS_PATH, setupTabs } from "./tabs.ts";

/** Declares the pages. */
export function campaignPages(console: ConsoleRouter, deps: Deps): void {
  recordSection(console, deps, {
    kind: campaignKind,
    path: CAMPAIGNS_PATH,
    read: "settings.read",
    write: "settings.write",
    look: ({ words, person }) => ({
      title: words.say("campaigns"),
      newOne: words.say("newCampaign"),
      none: [words.say("noCampaigns"), words.say("noCampaignsHint")],
      tabs: setupTabs(words, person, CAMPAIGNS_PATH),
      columns: [],
      cells: () => [],
      state: (row) =>
        row.stopped_at === null ? activeBadge(words, row.active) : badge("bad", words.say("campaignStopped")),
    }),
    options: ({ person: { tenant } }, values) =>
      choose(
        deps,
        tenant,
        {
          offer_id: offerKind,
          gateway_id: gatewayKind,
          hosted_page_id: hostedPageKind,
          webhook_profile_id: webhookProfileKind,
        },
        values,
      ),
    async extras(call, row, { act, done }) {
      const { words } = call;
      // This also applies to an archived campaign: renewals of its subscriptions wait.
      const mayResume = row.stopped_at !== null && call.may("settings.write");
      return {
        main: row.stopped_at === null ? [] : [stoppedPanel(words, row, row.stopped_at)],
        acts: mayResume
          ? [
              html`<a class="button main" href="${CAMPAIGNS_PATH}${row.id}/?act=resume"
                >${words.say("resumeCampaign")}</a
              >`,
            ]
          : [],
        over: mayResume && act === "resume" ? resumeDialog(call, row) : NOTHING,
        done: done === "resume" ? words.say("resumeDone") : null,
      };
    },
  });

  console.post(`${CAMPAIGNS_PATH}{id}/resume/`, "settings.write", {
    summary: "Let a stopped campaign collect again",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { id } = await resumeCampaign(deps, personTarget(call, call.params.id));
      return seeOther(`${CAMPAIGNS_PATH}${id}/?done=resume`);
    },
  });
}

/** Why the campaign collects nothing, and what to check before it is resumed. */
function stoppedPanel(words: Words, row: CampaignRow, at: Date): Html {
  const { say } = words;
  const limit = words.percent((row.return_rate_max ?? 0) / 100);
  return panel(
    say("campaignStopped"),
    html`<div class="in">
      <p>${say("campaignStoppedWhat", { time: words.time(at), limit })}</p>
      <div class="form-acts">
        <a class="button" href="${addressWith(CHARGEBACKS_PATH, { campaign_id: row.id })}"
          >${say("chargebacks")}</a
        >
        <a class="button" href="${addressWith(SUBSCRIPTIONS_PATH, { campaign_stopped: "true" })}"
          >${say("waitingRenewals")}</a
        >
      </div>
    </div>`,
  );
}

function resumeDialog({ words, csrf }: RecordCall, row: CampaignRow): Html {
  const { say } = words;
  const path = `${CAMPAIGNS_PATH}${row.id}/`;
  return dialog(
    `${say("resumeCampaign")}: ${row.name}`,
    html`<p>${say("resumeWhat")}</p>
      <form method="post" action="${path}resume/">
        ${csrfField(csrf)}
        ${formActs(say("resumeCampaign"), "main", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}
