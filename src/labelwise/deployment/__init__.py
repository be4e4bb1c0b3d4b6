"""After the decision: audit, check and monitor decisions that are in use.

`plan_audit` draws the cells that a person should look at, and `audit_report` says what the answers
prove. Tests bet on numbers of cells or samples, see `labelwise._tuning.guarantees`.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.deployment._audit import AuditPlan, audit_report, plan_audit
    from labelwise.deployment._audit import AuditReport as AuditReport
    from labelwise.deployment._files import read_answers as read_answers

__all__ = ["AuditPlan", "audit_report", "plan_audit"]

publish(__name__, [*__all__, "AuditReport"])
